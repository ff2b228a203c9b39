// The choice among engines and algorithms on a simulated GPU, where time is what fakes say it
// costs.

#include "wick/runtime/cuda/way_trial.h"

#include <vector>

#include "runtime_cuda/fake_cudnn.h"
#include "runtime_cuda/simulated_gpu.h"
#include <gtest/gtest.h>

#include "wick/passes/options.h"
#include "wick/runtime/cuda/convolution.h"
#include "wick/runtime/cuda/matmul.h"

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
  const std::vector<Way> nearly{taking(100), taking(99)};

  EXPECT_EQ(trial.fastest(ways), 0U);
  EXPECT_EQ(trial.fastest(nearly), 0U);
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
  const LibraryOp small = product(64);
  const WayTrial of_small(gpu(), small, "a library");
  EXPECT_EQ(of_small.most_ways(), 1U);
  of_small.keep(2);
  EXPECT_EQ(of_small.known(), std::nullopt);
}

// Trials of large ops, for calls that are small here.

TEST_F(CudaWayTrial, ProductsTakeTheFastestAlgorithm) {
  const MatmulSpec spec{.shape = matmul_shape(product(4))};
  const std::vector<float> values(16, 1);
  std::vector<float> result(16);
  const void* const operands[] = {values.data(), values.data()};
  const auto multiply = [&](Blas& blas) {
    const WayTrial trial(gpu(), op_, "products");
    const Matmul matmul(blas, spec, &trial);
    matmul.enqueue(gpu().stream(), CallAddresses{.operands = operands, .result = result.data()});
    gpu().synchronize();
    return gpu_.cublaslt().last_algorithm();
  };
  gpu_.cublaslt().set_costs({4, 2, 3});

  EXPECT_EQ(multiply(gpu().blas()), 1U);
  EXPECT_EQ(result, std::vector<float>(16, 4));

  gpu_.cublaslt().set_costs({1, 9, 9});
  Blas another(gpu().device(), gpu_.cublaslt().api());
  EXPECT_EQ(multiply(another), 1U);  // known, so not tried again
}

TEST_F(CudaWayTrial, ConvolutionsTakeTheFastestEngine) {
  const LibraryOp small{ir::OpKind::conv,
                        {},
                        {{DType::f32, {1, 2, 3, 3}}, {DType::f32, {2, 2, 1, 1}}},
                        {DType::f32, {1, 2, 3, 3}}};
  const auto engine = [&](const WayTrial* trial) {
    const std::vector<float> values(18, 1);
    std::vector<float> result(18);
    const void* const operands[] = {values.data(), values.data()};
    const Convolution convolution(gpu().dnn(), small, {}, trial);
    gpu_.driver().take_calls();
    convolution.enqueue(gpu().stream(), {.operands = operands, .result = result.data()});
    gpu().synchronize();
    EXPECT_EQ(result, std::vector<float>(18, 2));
    const std::string call = gpu_.driver().take_calls().front();
    return call.substr(0, call.find(','));
  };
  gpu_.cudnn().set_engines({{.name = "slow", .notes = {}, .cost = 5},
                            {.name = "varying", .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
                            {.name = "absent", .notes = {}, .works = false},
                            {.name = "broken", .notes = {}, .executes = false},
                            {.name = "fast", .notes = {}, .cost = 2}},
                           {{.name = "fallback", .notes = {}, .cost = 3}});
  const WayTrial trial(gpu(), op_, "convolutions");

  EXPECT_EQ(engine(nullptr), "cudnnBackendExecute slow");
  EXPECT_EQ(engine(&trial), "cudnnBackendExecute fast");
  EXPECT_EQ(trial.known(), 3U);  // of those that give the same bits each time

  gpu_.cudnn().set_engines({{.name = "slow", .notes = {}},
                            {.name = "absent", .notes = {}, .works = false},
                            {.name = "broken", .notes = {}, .executes = false},
                            {.name = "fast", .notes = {}, .cost = 9}});
  EXPECT_EQ(engine(&trial), "cudnnBackendExecute fast");  // known, so not tried again
}

}  // namespace
}  // namespace wick::runtime::cuda
