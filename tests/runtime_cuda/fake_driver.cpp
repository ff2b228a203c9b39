#include "runtime_cuda/fake_driver.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wick::runtime::cuda {
namespace {

FakeDriver* current = nullptr;

std::string extents(unsigned x, unsigned y, unsigned z) {
  return fmt::format("({}, {}, {})", x, y, z);
}

const void* as_pointer(CUdeviceptr address) {
  return reinterpret_cast<const void*>(address);
}

}  // namespace

FakeDriver::FakeDriver() {
  current = this;
  fill_devices();
  fill_memory();
  fill_streams();
  fill_events();
  fill_kernels();
  fill_graphs();
}

FakeDriver::~FakeDriver() {
  current = nullptr;
}

std::vector<std::string> FakeDriver::take_calls() {
  const std::lock_guard lock(mutex_);
  return std::exchange(calls_, {});
}

void FakeDriver::fail_once(const std::string& function, CUresult result, int skip) {
  failures_.insert({function, {result, skip}});
}

void FakeDriver::fault_in(const std::string& kernel, CUresult result) {
  faults_[kernel] = result;
}

void FakeDriver::on_launch(const std::string& kernel, std::function<void()> body) {
  kernels_[kernel] = std::move(body);
}

std::string FakeDriver::live_objects() const {
  std::vector<std::string> names;
  for (const auto& [object, name] : objects_)
    names.push_back(name);
  for (const auto& [base, memory] : memory_)
    names.push_back(memory.name);
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " "));
}

void FakeDriver::enqueue(CUstream stream, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  FakeStream& queue = streams_.at(stream);
  if (queue.captures) {
    queue.captured.push_back(std::move(work));
  } else {
    queue.pending.push_back(std::move(work));
    ++queue.enqueued;
    if (works_at_once_) run_until(stream, queue.enqueued);
  }
}

void FakeDriver::record(std::string line) {
  const std::lock_guard lock(mutex_);
  if (keeps_calls_) calls_.push_back(std::move(line));
}

std::string FakeDriver::name_of(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto* at = static_cast<const std::byte*>(address);
  auto found = memory_.upper_bound(at);
  if (found == memory_.begin()) return "host";
  --found;
  const auto offset = static_cast<size_t>(at - found->first);
  if (offset >= std::max<size_t>(found->second.bytes, 1)) return "host";
  return offset == 0 ? found->second.name : fmt::format("{}+{}", found->second.name, offset);
}

std::string FakeDriver::name_of_object(const void* object) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(object);
  return found == objects_.end() ? "nothing" : found->second;
}

CUresult FakeDriver::act(const char* function,
                         const std::string& details,
                         const std::function<CUresult()>& body) {
  const std::lock_guard lock(mutex_);
  if (keeps_calls_)
    calls_.push_back(details.empty() ? function : fmt::format("{} {}", function, details));
  return outcome(function, body);
}

CUresult FakeDriver::answer(const char* function, const std::function<CUresult()>& body) {
  const std::lock_guard lock(mutex_);
  return outcome(function, body);
}

CUresult FakeDriver::outcome(const char* function, const std::function<CUresult()>& body) {
  if (lost_ != CUDA_SUCCESS) return lost_;
  if (const auto failure = failures_.find(function); failure != failures_.end()) {
    if (failure->second.skip-- == 0) {
      const CUresult result = failure->second.result;
      failures_.erase(failure);
      return result;
    }
  }
  const CUresult result = body();
  return lost_ != CUDA_SUCCESS ? lost_ : result;
}

bool FakeDriver::is_capturing() const {
  return std::ranges::any_of(streams_, [](const auto& entry) { return entry.second.captures; });
}

void FakeDriver::run_until(CUstream stream, int64_t position) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;  // destroyed: its work was done then
  FakeStream& queue = found->second;
  if (queue.done >= position) return;
  on_device([&] {
    while (queue.done < position && lost_ == CUDA_SUCCESS) {
      const std::function<void()> work = std::move(queue.pending.front());
      queue.pending.pop_front();
      ++queue.done;
      work();
    }
  });
}

void FakeDriver::on_device(const std::function<void()>& body) {
  const std::lock_guard lock(mutex_);
  open_memory();
  body();
  close_memory();
}

void FakeDriver::open_memory() {
  if (works_under_way_++ > 0) return;
  for (const auto& [base, memory] : memory_) {
    if (memory.kind == MemoryKind::device) memory.pages.open();
  }
}

void FakeDriver::close_memory() {
  if (--works_under_way_ > 0) return;
  for (const auto& [base, memory] : memory_) {
    if (memory.kind == MemoryKind::device) memory.pages.close();
  }
}

void FakeDriver::run_all() {
  for (const auto& [stream, queue] : streams_)
    run_until(stream, queue.enqueued);
}

template <typename Handle>
Handle FakeDriver::make_object(const char* kind) {
  // Nobody looks into a handle: a number of its own is all that one needs.
  auto handle = reinterpret_cast<Handle>(++last_handle_);
  objects_[handle] = fmt::format("{}{}", kind, ++numbers_[kind]);
  return handle;
}

void FakeDriver::fill_devices() {
  api_.cuInit.point_to([](unsigned) { return CUDA_SUCCESS; });
  api_.cuDriverGetVersion.point_to([](int* version) {
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
  });
  api_.cuGetErrorName.point_to([](CUresult result, const char** name) {
    switch (result) {
      case CUDA_ERROR_INVALID_VALUE:
        *name = "CUDA_ERROR_INVALID_VALUE";
        break;
      case CUDA_ERROR_OUT_OF_MEMORY:
        *name = "CUDA_ERROR_OUT_OF_MEMORY";
        break;
      case CUDA_ERROR_ILLEGAL_ADDRESS:
        *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
        break;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
  api_.cuGetErrorString.point_to([](CUresult, const char** description) {
    *description = "as told";
    return CUDA_SUCCESS;
  });
  api_.cuDeviceGetCount.point_to([](int* count) {
    return current->answer("cuDeviceGetCount", [&] {
      *count = 2;
      return CUDA_SUCCESS;
    });
  });
  api_.cuDeviceGet.point_to([](CUdevice* device, int ordinal) {
    *device = 100 + ordinal;  // not the ordinal, so that nobody takes one for the other
    return CUDA_SUCCESS;
  });
  api_.cuDeviceGetName.point_to([](char* name, int length, CUdevice) {
    std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
    return CUDA_SUCCESS;
  });
  api_.cuDeviceTotalMem.point_to([](size_t* bytes, CUdevice) {
    *bytes = current->memory_bytes_;
    return CUDA_SUCCESS;
  });
  api_.cuDeviceGetAttribute.point_to([](int* value, CUdevice_attribute attribute, CUdevice) {
    static const std::map<CUdevice_attribute, int> kValues{
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 52428800}};
    *value = kValues.at(attribute);
    return CUDA_SUCCESS;
  });
  api_.cuDevicePrimaryCtxRetain.point_to([](CUcontext* context, CUdevice device) {
    return current->act("cuDevicePrimaryCtxRetain", fmt::format("device {}", device), [&] {
      *context = reinterpret_cast<CUcontext>(uintptr_t{0x1000} + static_cast<uintptr_t>(device));
      return CUDA_SUCCESS;
    });
  });
  api_.cuDevicePrimaryCtxRelease.point_to([](CUdevice device) {
    return current->act(
        "cuDevicePrimaryCtxRelease", fmt::format("device {}", device), [] { return CUDA_SUCCESS; });
  });
  api_.cuCtxSetCurrent.point_to(
      [](CUcontext) { return current->answer("cuCtxSetCurrent", [] { return CUDA_SUCCESS; }); });
  api_.cuCtxSynchronize.point_to([] {
    return current->act("cuCtxSynchronize", "", [] {
      current->run_all();
      return CUDA_SUCCESS;
    });
  });
}

CUresult FakeDriver::allocate(MemoryKind kind, size_t bytes, void** address) {
  if (is_capturing()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const char* const prefix = kind == MemoryKind::device ? "mem" : "pinned";
  DevicePages pages(bytes);
  if (kind == MemoryKind::pinned) pages.open();
  std::byte* const base = pages.data();
  *address = base;
  memory_.emplace(base,
                  Memory{.kind = kind,
                         .name = fmt::format("{}{}", prefix, ++numbers_[prefix]),
                         .bytes = bytes,
                         .pages = std::move(pages)});
  return CUDA_SUCCESS;
}

CUresult FakeDriver::release(const void* address) {
  return memory_.erase(static_cast<const std::byte*>(address)) == 1 ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_VALUE;
}

void FakeDriver::fill_memory() {
  api_.cuMemAlloc.point_to([](CUdeviceptr* address, size_t bytes) {
    return current->act("cuMemAlloc", fmt::format("{} bytes", bytes), [&] {
      if (current->bytes_allocated_ + bytes > current->memory_bytes_) {
        return CUDA_ERROR_OUT_OF_MEMORY;
      }
      void* memory = nullptr;
      const CUresult result = current->allocate(MemoryKind::device, bytes, &memory);
      if (result == CUDA_SUCCESS) current->bytes_allocated_ += bytes;
      *address = reinterpret_cast<CUdeviceptr>(memory);
      return result;
    });
  });
  api_.cuMemFree.point_to([](CUdeviceptr address) {
    return current->act("cuMemFree", current->name_of(as_pointer(address)), [&] {
      const auto found = current->memory_.find(static_cast<const std::byte*>(as_pointer(address)));
      if (found == current->memory_.end()) return CUDA_ERROR_INVALID_VALUE;
      current->bytes_allocated_ -= found->second.bytes;
      return current->release(as_pointer(address));
    });
  });
  api_.cuMemGetInfo.point_to([](size_t* free_bytes, size_t* total_bytes) {
    *total_bytes = current->memory_bytes_;
    *free_bytes = *total_bytes - current->bytes_allocated_;
    return CUDA_SUCCESS;
  });
  api_.cuMemHostAlloc.point_to([](void** address, size_t bytes, unsigned) {
    return current->act("cuMemHostAlloc", fmt::format("{} bytes", bytes), [&] {
      return current->allocate(MemoryKind::pinned, bytes, address);
    });
  });
  api_.cuMemFreeHost.point_to([](void* address) {
    return current->act(
        "cuMemFreeHost", current->name_of(address), [&] { return current->release(address); });
  });
  static constexpr auto kCopy =
      [](const char* function, const void* to, const void* from, size_t bytes, CUstream stream) {
        const std::string details = fmt::format("{} <- {}, {} bytes, {}",
                                                current->name_of(to),
                                                current->name_of(from),
                                                bytes,
                                                current->name_of_object(stream));
        return current->act(function, details, [&] {
          current->enqueue(stream, [=] { std::memcpy(const_cast<void*>(to), from, bytes); });
          return CUDA_SUCCESS;
        });
      };
  api_.cuMemcpyHtoDAsync.point_to(
      [](CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
        return kCopy("cuMemcpyHtoDAsync", as_pointer(to), from, bytes, stream);
      });
  api_.cuMemcpyDtoHAsync.point_to([](void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return kCopy("cuMemcpyDtoHAsync", to, as_pointer(from), bytes, stream);
  });
  api_.cuMemcpyDtoDAsync.point_to(
      [](CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
        return kCopy("cuMemcpyDtoDAsync", as_pointer(to), as_pointer(from), bytes, stream);
      });
  api_.cuMemsetD8Async.point_to(
      [](CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
        const std::string details = fmt::format("{} <- {}, {} bytes, {}",
                                                current->name_of(as_pointer(to)),
                                                value,
                                                bytes,
                                                current->name_of_object(stream));
        return current->act("cuMemsetD8Async", details, [&] {
          current->enqueue(stream, [=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
          return CUDA_SUCCESS;
        });
      });
}

void FakeDriver::fill_streams() {
  api_.cuStreamCreate.point_to([](CUstream* stream, unsigned flags) {
    const char* kind = flags == CU_STREAM_NON_BLOCKING ? "non-blocking" : "blocking";
    return current->act("cuStreamCreate", kind, [&] {
      *stream = current->make_object<CUstream>("stream");
      current->streams_[*stream] = {};
      return CUDA_SUCCESS;
    });
  });
  api_.cuStreamDestroy.point_to([](CUstream stream) {
    return current->act("cuStreamDestroy", current->name_of_object(stream), [&] {
      current->run_until(stream, current->streams_.at(stream).enqueued);
      current->streams_.erase(stream);
      current->objects_.erase(stream);
      return CUDA_SUCCESS;
    });
  });
  api_.cuStreamSynchronize.point_to([](CUstream stream) {
    return current->act("cuStreamSynchronize", current->name_of_object(stream), [&] {
      if (current->streams_.at(stream).captures) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      current->run_until(stream, current->streams_.at(stream).enqueued);
      return CUDA_SUCCESS;
    });
  });
  api_.cuStreamWaitEvent.point_to([](CUstream stream, CUevent event, unsigned) {
    const std::string details =
        fmt::format("{} for {}", current->name_of_object(stream), current->name_of_object(event));
    return current->act("cuStreamWaitEvent", details, [&] {
      const FakeEvent point = current->events_.at(event);
      current->enqueue(stream, [=] { current->run_until(point.stream, point.position); });
      return CUDA_SUCCESS;
    });
  });
}

void FakeDriver::fill_events() {
  api_.cuEventCreate.point_to([](CUevent* event, unsigned flags) {
    const char* kind = flags == CU_EVENT_DISABLE_TIMING ? "order" : "timing";
    return current->act("cuEventCreate", kind, [&] {
      *event = current->make_object<CUevent>("event");
      current->events_[*event] = {};
      return CUDA_SUCCESS;
    });
  });
  api_.cuEventDestroy.point_to([](CUevent event) {
    return current->act("cuEventDestroy", current->name_of_object(event), [&] {
      current->events_.erase(event);
      current->objects_.erase(event);
      return CUDA_SUCCESS;
    });
  });
  api_.cuEventRecord.point_to([](CUevent event, CUstream stream) {
    const std::string details =
        fmt::format("{} on {}", current->name_of_object(event), current->name_of_object(stream));
    return current->act("cuEventRecord", details, [&] {
      current->events_[event] = {stream, current->streams_.at(stream).enqueued};
      return CUDA_SUCCESS;
    });
  });
  api_.cuEventSynchronize.point_to([](CUevent event) {
    return current->act("cuEventSynchronize", current->name_of_object(event), [&] {
      const FakeEvent& point = current->events_.at(event);
      current->run_until(point.stream, point.position);
      return CUDA_SUCCESS;
    });
  });
  api_.cuEventQuery.point_to([](CUevent event) {
    return current->answer("cuEventQuery", [&] {
      const FakeEvent& point = current->events_.at(event);
      const auto stream = current->streams_.find(point.stream);
      const bool reached =
          stream == current->streams_.end() || stream->second.done >= point.position;
      return reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
  });
  api_.cuEventElapsedTime.point_to([](float* milliseconds, CUevent from, CUevent to) {
    return current->answer("cuEventElapsedTime", [&] {
      *milliseconds =
          static_cast<float>(current->events_.at(to).position - current->events_.at(from).position);
      return CUDA_SUCCESS;
    });
  });
}

void FakeDriver::fill_kernels() {
  api_.cuModuleLoadDataEx.point_to([](CUmodule* module,
                                      const void* image,
                                      unsigned num_options,
                                      CUjit_option* options,
                                      void** values) {
    return current->act("cuModuleLoadDataEx", "", [&] {
      if (std::memcmp(image, "bad", 3) == 0) {
        for (unsigned i = 0; i < num_options; ++i) {
          if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
            std::strcpy(static_cast<char*>(values[i]), "ptxas: line 3: no such instruction");
          }
        }
        return CUDA_ERROR_INVALID_VALUE;
      }
      *module = current->make_object<CUmodule>("module");
      if (current->machine_ != nullptr) current->machine_->load(*module, image);
      return CUDA_SUCCESS;
    });
  });
  api_.cuModuleUnload.point_to([](CUmodule module) {
    return current->act("cuModuleUnload", current->name_of_object(module), [&] {
      current->objects_.erase(module);
      return CUDA_SUCCESS;
    });
  });
  api_.cuModuleGetFunction.point_to([](CUfunction* function, CUmodule module, const char* name) {
    return current->answer("cuModuleGetFunction", [&] {
      // Functions live as long as the driver: nobody destroys them.
      *function = reinterpret_cast<CUfunction>(current->functions_.size() + 1);
      current->functions_[*function] = {module, name};
      return CUDA_SUCCESS;
    });
  });
  api_.cuFuncSetAttribute.point_to(
      [](CUfunction function, CUfunction_attribute attribute, int value) {
        const std::string details = fmt::format(
            "{} {} {}",
            current->functions_.at(function).name,
            attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? "shared" : "?",
            value);
        return current->act("cuFuncSetAttribute", details, [] { return CUDA_SUCCESS; });
      });
  api_.cuLaunchKernel.point_to([](CUfunction function,
                                  unsigned grid_x,
                                  unsigned grid_y,
                                  unsigned grid_z,
                                  unsigned block_x,
                                  unsigned block_y,
                                  unsigned block_z,
                                  unsigned shared_bytes,
                                  CUstream stream,
                                  void** arguments,
                                  void** /*extra*/) {
    const CUmodule module = current->functions_.at(function).module;
    const std::string& kernel = current->functions_.at(function).name;
    const std::string details = fmt::format("{} {} {} shared {}, {}",
                                            kernel,
                                            extents(grid_x, grid_y, grid_z),
                                            extents(block_x, block_y, block_z),
                                            shared_bytes,
                                            current->name_of_object(stream));
    return current->act("cuLaunchKernel", details, [&] {
      std::function<void()> work;
      if (current->machine_ != nullptr && !current->kernels_.contains(kernel)) {
        work = current->machine_->launch(
            module, kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments);
      }
      current->enqueue(stream, [name = kernel, work = std::move(work)] {
        if (const auto fault = current->faults_.find(name); fault != current->faults_.end()) {
          current->lost_ = fault->second;
        } else if (const auto body = current->kernels_.find(name);
                   body != current->kernels_.end()) {
          body->second();
        } else if (work) {
          work();
        }
      });
      return CUDA_SUCCESS;
    });
  });
}

void FakeDriver::fill_graphs() {
  api_.cuStreamBeginCapture.point_to([](CUstream stream, CUstreamCaptureMode mode) {
    const char* kind = mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? "thread-local" : "global";
    const std::string details = fmt::format("{} {}", current->name_of_object(stream), kind);
    return current->act("cuStreamBeginCapture", details, [&] {
      current->streams_.at(stream).captures = true;
      return CUDA_SUCCESS;
    });
  });
  api_.cuStreamEndCapture.point_to([](CUstream stream, CUgraph* graph) {
    return current->act("cuStreamEndCapture", current->name_of_object(stream), [&] {
      FakeStream& queue = current->streams_.at(stream);
      queue.captures = false;
      *graph = current->make_object<CUgraph>("graph");
      current->graphs_[*graph] = std::move(queue.captured);
      return CUDA_SUCCESS;
    });
  });
  api_.cuGraphGetNodes.point_to([](CUgraph graph, CUgraphNode*, size_t* count) {
    return current->answer("cuGraphGetNodes", [&] {
      *count = current->graphs_.at(graph).size();
      return CUDA_SUCCESS;
    });
  });
  api_.cuGraphInstantiateWithFlags.point_to(
      [](CUgraphExec* executable, CUgraph graph, unsigned long long) {
        return current->act("cuGraphInstantiate", current->name_of_object(graph), [&] {
          *executable = current->make_object<CUgraphExec>("executable");
          current->executables_[*executable] = current->graphs_.at(graph);
          return CUDA_SUCCESS;
        });
      });
  api_.cuGraphDestroy.point_to([](CUgraph graph) {
    return current->act("cuGraphDestroy", current->name_of_object(graph), [&] {
      current->graphs_.erase(graph);
      current->objects_.erase(graph);
      return CUDA_SUCCESS;
    });
  });
  api_.cuGraphExecDestroy.point_to([](CUgraphExec executable) {
    return current->act("cuGraphExecDestroy", current->name_of_object(executable), [&] {
      current->executables_.erase(executable);
      current->objects_.erase(executable);
      return CUDA_SUCCESS;
    });
  });
  api_.cuGraphLaunch.point_to([](CUgraphExec executable, CUstream stream) {
    const std::string details = fmt::format(
        "{} on {}", current->name_of_object(executable), current->name_of_object(stream));
    return current->act("cuGraphLaunch", details, [&] {
      for (const std::function<void()>& work : current->executables_.at(executable))
        current->enqueue(stream, work);
      return CUDA_SUCCESS;
    });
  });
}

}  // namespace wick::runtime::cuda
