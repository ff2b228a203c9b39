#include "wick/runtime/cuda/stream.h"

#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {
namespace {

class CudaStream : public testing::Test {
 protected:
  void launch_on(const Stream& stream, const std::string& kernel) {
    fake_.on_launch(kernel, [this, kernel] { order_ += kernel; });
    launch(stream, module_.kernel(kernel), {}, {});
  }

  FakeDriver fake_;
  Device device_{fake_.api(), 0};
  Module module_{device_, std::as_bytes(std::span("image"))};
  std::string order_;  // in which kernels ran
};

TEST_F(CudaStream, NeverWaitsForTheDefaultStream) {
  fake_.take_calls();

  const Stream stream(device_);

  EXPECT_EQ(fake_.take_calls(), std::vector<std::string>{"cuStreamCreate non-blocking"});
}

TEST_F(CudaStream, RunsInOrder) {
  const Stream stream(device_);
  launch_on(stream, "a");
  launch_on(stream, "b");
  EXPECT_EQ(order_, "");

  stream.synchronize();

  EXPECT_EQ(order_, "ab");
}

TEST_F(CudaStream, WaitsForAnotherAtAnEvent) {
  const Stream first(device_);
  const Stream second(device_);
  const Event event(device_);
  launch_on(first, "a");
  event.record(first);
  launch_on(first, "b");
  second.wait_for(event);
  launch_on(second, "c");

  second.synchronize();

  EXPECT_EQ(order_, "ac");
}

TEST_F(CudaStream, AnEventIsReachedWhenWhatItFollowsIsDone) {
  const Stream stream(device_);
  const Event event(device_);
  EXPECT_TRUE(event.is_reached());
  launch_on(stream, "a");
  event.record(stream);
  EXPECT_FALSE(event.is_reached());

  event.synchronize();

  EXPECT_TRUE(event.is_reached());
  EXPECT_EQ(order_, "a");
}

TEST_F(CudaStream, AFaultShowsWhereTheStateOfAnEventIsAsked) {
  const Stream stream(device_);
  const Event event(device_);
  fake_.fail_once("cuEventQuery", CUDA_ERROR_ILLEGAL_ADDRESS);

  EXPECT_THROW(static_cast<void>(event.is_reached()), DeviceLost);
}

TEST_F(CudaStream, EventsTime) {
  const Stream stream(device_);
  const Event begin(device_, EventKind::timing);
  const Event end(device_, EventKind::timing);
  begin.record(stream);
  launch_on(stream, "a");
  launch_on(stream, "b");
  end.record(stream);
  end.synchronize();

  EXPECT_EQ(end.milliseconds_since(begin), 2.0F);  // the fake's clock counts launches
}

TEST(CudaStreamLife, EverythingIsReleased) {
  FakeDriver fake;
  {
    const Device device(fake.api(), 0);
    const Stream stream(device);
    const Event event(device);
    const Module module(device, std::as_bytes(std::span("image")));
    EXPECT_EQ(fake.live_objects(), "event1 module1 stream1");
  }

  EXPECT_EQ(fake.live_objects(), "");
}

}  // namespace
}  // namespace wick::runtime::cuda
