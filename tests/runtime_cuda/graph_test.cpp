#include "wick/runtime/cuda/graph.h"

#include <stdexcept>

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/fake_driver.h"
#include <gtest/gtest.h>

#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {
namespace {

class CudaGraph : public testing::Test {
 protected:
  CudaGraph() {
    fake_.on_launch("a", [this] { order_ += 'a'; });
    fake_.on_launch("b", [this] { order_ += 'b'; });
  }

  void enqueue(const Stream& stream) {
    launch(stream, module_.kernel("a"), {}, {});
    launch(stream, module_.kernel("b"), {}, {});
  }

  FakeDriver fake_;
  Device device_{fake_.api(), 0};
  Stream stream_{device_};
  Module module_{device_, std::as_bytes(std::span("image"))};
  std::string order_;  // in which kernels ran
};

TEST_F(CudaGraph, RecordsOnAStreamOfItsOwn) {
  fake_.take_calls();

  const LaunchGraph graph(device_, [this](const Stream& stream) { enqueue(stream); });

  EXPECT_EQ(fake_.take_calls(),
            (std::vector<std::string>{"cuStreamCreate non-blocking",
                                      "cuStreamBeginCapture stream2 thread-local",
                                      "cuLaunchKernel a (1, 1, 1) (1, 1, 1) shared 0, stream2",
                                      "cuLaunchKernel b (1, 1, 1) (1, 1, 1) shared 0, stream2",
                                      "cuStreamEndCapture stream2",
                                      "cuStreamDestroy stream2",
                                      "cuGraphInstantiate graph1",
                                      "cuGraphDestroy graph1"}));
  EXPECT_EQ(graph.num_nodes(), 2U);
  EXPECT_EQ(order_, "");
}

TEST_F(CudaGraph, ReplaysInStreamOrder) {
  const LaunchGraph graph(device_, [this](const Stream& stream) { enqueue(stream); });
  launch(stream_, module_.kernel("b"), {}, {});

  graph.launch(stream_);
  graph.launch(stream_);
  stream_.synchronize();

  EXPECT_EQ(order_, "babab");
}

TEST_F(CudaGraph, PassesOnWhatTheRecordingThrowsAndLeavesNothingBehind) {
  const std::string before = fake_.live_objects();

  const auto fail_halfway = [this](const Stream& stream) {
    enqueue(stream);
    throw std::runtime_error("no such op");
  };

  EXPECT_EQ(error_text([&] { const LaunchGraph graph(device_, fail_halfway); }), "no such op");
  EXPECT_EQ(fake_.live_objects(), before);
  EXPECT_NO_THROW(stream_.synchronize());
}

TEST_F(CudaGraph, WaitingWhileRecordingIsAnError) {
  EXPECT_THROW(const LaunchGraph graph(device_, [](const Stream& stream) { stream.synchronize(); }),
               Error);
}

TEST_F(CudaGraph, IsReleased) {
  const std::string before = fake_.live_objects();
  {
    const LaunchGraph graph(device_, [this](const Stream& stream) { enqueue(stream); });
    EXPECT_NE(fake_.live_objects(), before);
  }

  EXPECT_EQ(fake_.live_objects(), before);
}

}  // namespace
}  // namespace wick::runtime::cuda
