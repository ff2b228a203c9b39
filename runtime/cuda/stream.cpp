#include "wick/runtime/cuda/stream.h"

namespace wick::runtime::cuda {

Stream::Stream(const Device& device) : device_(device) {
  device.call("making a stream",
              device.api().cuStreamCreate,
              &handle_,
              static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
}

Stream::~Stream() {
  device_.call_quietly(device_.api().cuStreamDestroy, handle_);
}

void Stream::synchronize(std::string_view doing) const {
  device_.call(doing, device_.api().cuStreamSynchronize, handle_);
}

void Stream::wait_for(const Event& event) const {
  device_.call("ordering streams", device_.api().cuStreamWaitEvent, handle_, event.handle(), 0U);
}

Event::Event(const Device& device, EventKind kind) : device_(device) {
  const unsigned flags = kind == EventKind::timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  device.call("making an event", device.api().cuEventCreate, &handle_, flags);
}

Event::~Event() {
  device_.call_quietly(device_.api().cuEventDestroy, handle_);
}

void Event::record(const Stream& stream) const {
  device_.call("recording an event", device_.api().cuEventRecord, handle_, stream.handle());
}

void Event::synchronize(std::string_view doing) const {
  device_.call(doing, device_.api().cuEventSynchronize, handle_);
}

bool Event::is_reached() const {
  device_.activate();
  const ApiFunction<decltype(::cuEventQuery)>& query = device_.api().cuEventQuery;
  const CUresult result = query(handle_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  device_.expect_success(result, query.name(), "asking for the state of work");
  return true;
}

float Event::milliseconds_since(const Event& earlier) const {
  float milliseconds = 0;
  device_.call(
      "timing work", device_.api().cuEventElapsedTime, &milliseconds, earlier.handle(), handle_);
  return milliseconds;
}

}  // namespace wick::runtime::cuda
