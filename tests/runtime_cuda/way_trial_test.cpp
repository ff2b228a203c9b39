// The choice among engines and algorithms on a simulated GPU, where time is what fakes say it
// costs.

#include "wick/runtime/cuda/way_trial.h"

#include <vector>

#include "runtime_cuda/fake_cudnn.h"
#include "runtime_cuda/simulated_gpu.h"
#include <gtest/gtest.h>
#include <wick/wick.h>

#include "wick/passes/options.h"

namespace wick::runtime::cuda {
namespace {

LibraryOp product(int64_t extent) {
  const Type square{DType::f32, {extent, extent}};
  return {ir::OpKind::matmul, {}, {square, square}, square};
}

class CudaWayTrial : public testing::Test {
 protected:
  /// A way that takes so much of a fake's time.
  Way taking(int cost, size_t workspace_bytes = 0) {
    return {workspace_bytes, [this, cost](const Stream& stream, const CallAddresses&) {
              for (int i = 0; i < cost; ++i)
                gpu_.driver().enqueue(stream.handle(), [] {});
            }};
  }

  static Options without_disk() {
    Options options = wick::options();
    options.cache_dir = "off";
    return options;
  }

  SimulatedGpu gpu_;
  ScopedOptions scope_{without_disk()};
  LibraryOp op_ = product(512);
};

TEST_F(CudaWayTrial, TakesTheFastest) {
  const WayTrial trial(gpu(), op_, "a library");
  const std::vector<Way> ways{taking(5), taking(9), taking(2), taking(3)};

  EXPECT_EQ(trial.fastest(ways), 2U);
}

TEST_F(CudaWayTrial, StaysWithTheFirstOfEquals) {
  const WayTrial trial(gpu(), op_, "a library");
  const std::vector<Way> ways{taking(4), taking(4), taking(5)};

  EXPECT_EQ(trial.fastest(ways), 0U);
}

TEST_F(CudaWayTrial, LeavesOutWhatFails) {
  const WayTrial trial(gpu(), op_, "a library");
  const Way broken{0, [](const Stream&, const CallAddresses&) { throw Error({}, "op", "no"); }};
  const std::vector<Way> ways{broken, taking(7), broken, taking(6)};

  EXPECT_EQ(trial.fastest(ways), 3U);
}

TEST_F(CudaWayTrial, TakesTheFirstWhereThereIsNoMemoryToTry) {
  const WayTrial trial(gpu(), op_, "a library");
  const std::vector<Way> ways{taking(5), taking(1, size_t{1} << 40U)};

  EXPECT_EQ(trial.fastest(ways), 0U);
}

TEST_F(CudaWayTrial, GivesEveryWayOperandsResultAndWorkspaceOfItsOwn) {
  const WayTrial trial(gpu(), op_, "a library");
  const size_t bytes = op_.result.num_bytes();
  const Way writes{1000, [&](const Stream& stream, const CallAddresses& at) {
                     copy_on_device(stream, at.result, at.operands[0], bytes);
                     fill_zero(stream, const_cast<void*>(at.operands[1]), bytes);
                     fill_zero(stream, at.workspace, 1000);
                     const std::vector<const void*> places{
                         at.operands[0], at.operands[1], at.result, at.workspace};
                     for (size_t i = 1; i < places.size(); ++i) {
                       const auto* const last = static_cast<const std::byte*>(places[i - 1]);
                       EXPECT_GE(static_cast<const std::byte*>(places[i]) - last,
                                 static_cast<std::ptrdiff_t>(bytes));
                     }
                   }};

  EXPECT_EQ(trial.fastest(std::vector<Way>{writes, taking(4)}), 0U);
}

TEST_F(CudaWayTrial, RemembersByOpAndLibrary) {
  WayTrial(gpu(), op_, "remembering 1").keep(3);

  const LibraryOp other = product(513);
  EXPECT_EQ(WayTrial(gpu(), op_, "remembering 1").known(), 3U);
  EXPECT_EQ(WayTrial(gpu(), op_, "remembering 2").known(), std::nullopt);
  EXPECT_EQ(WayTrial(gpu(), other, "remembering 1").known(), std::nullopt);
}

TEST_F(CudaWayTrial, LeavesSmallOpsUntried) {
  EXPECT_GT(WayTrial(gpu(), op_, "a library").most_ways(), 1U);
  const LibraryOp small = product(8);
  EXPECT_EQ(WayTrial(gpu(), small, "a library").most_ways(), 1U);
}

TEST_F(CudaWayTrial, ProductsOfProgramsTakeTheFastestAlgorithm) {
  gpu_.cublaslt().set_costs({4, 2, 3});
  const Tensor x = ones({171, 173}).to(wick::cuda());
  const Tensor y = ones({173, 179}).to(wick::cuda());

  EXPECT_EQ(matmul(x, y).sum().item<float>(), 171.0F * 173 * 179);

  EXPECT_EQ(gpu_.cublaslt().last_algorithm(), 1U);
  gpu_.cublaslt().set_costs({1, 9, 9});
  EXPECT_EQ((matmul(x, y) * 2).sum().item<float>(), 2.0F * 171 * 173 * 179);
  EXPECT_EQ(gpu_.cublaslt().last_algorithm(), 1U);  // not timed again
}

TEST_F(CudaWayTrial, ConvolutionsOfProgramsTakeTheFastestEngine) {
  gpu_.cudnn().set_engines({{.name = "slow", .notes = {}, .cost = 5},
                            {.name = "varying", .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
                            {.name = "absent", .notes = {}, .works = false},
                            {.name = "broken", .notes = {}, .executes = false},
                            {.name = "fast", .notes = {}, .cost = 2}},
                           {{.name = "fallback", .notes = {}, .cost = 3}});
  const Tensor x = ones({1, 16, 32, 32}).to(wick::cuda());
  const Tensor w = ones({17, 16, 5, 5}).to(wick::cuda());
  const auto engine_of_last = [&](const Tensor& result) {
    materialize(result);
    std::string last;
    for (const std::string& call : gpu_.driver().take_calls()) {
      if (call.starts_with("cudnnBackendExecute")) last = call;
    }
    return last.substr(0, last.find(','));
  };

  EXPECT_EQ(engine_of_last(conv2d(x, w)), "cudnnBackendExecute fast");
  EXPECT_EQ(engine_of_last(conv2d(x, w) * 2), "cudnnBackendExecute fast");
}

}  // namespace
}  // namespace wick::runtime::cuda
