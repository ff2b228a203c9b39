// Programs on a simulated GPU, from the public API.

#include "runtime_cuda/error_text.h"
#include "runtime_cuda/simulated_gpu.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>
#include <wick/wick.h>

#include "wick/ir/parser.h"
#include "wick/passes/options.h"
#include "wick/passes/pass_manager.h"
#include "wick/runtime/backend.h"
#include "wick/runtime/stats.h"

namespace wick::runtime::cuda {
namespace {

using Values = std::vector<float>;

class CudaBackend : public testing::Test {
 protected:
  SimulatedGpu gpu_;
};

TEST_F(CudaBackend, ATensorGoesThereAndBack) {
  const Tensor x = tensor({1.0F, 2.0F, 3.0F});
  EXPECT_EQ(x.device(), cpu());

  const Tensor y = x.to(wick::cuda());

  EXPECT_EQ(y.device(), wick::cuda());
  EXPECT_EQ(y.to_vector<float>(), (Values{1, 2, 3}));
  EXPECT_EQ(y.to(cpu()).device(), cpu());
  EXPECT_EQ(y.to(cpu()).to_vector<float>(), (Values{1, 2, 3}));
}

TEST_F(CudaBackend, OpsRunWhereTheirOperandsAre) {
  const Tensor x = tensor({1.0F, 2.0F, 3.0F}).to(wick::cuda());
  gpu_.driver().take_calls();

  const Tensor y = x * 2 + ones({3});

  EXPECT_EQ(y.device(), wick::cuda());
  EXPECT_EQ(y.to_vector<float>(), (Values{3, 5, 7}));
  const auto calls = gpu_.driver().take_calls();
  const auto launches = std::ranges::count_if(
      calls, [](const std::string& call) { return call.starts_with("cuLaunchKernel"); });
  EXPECT_EQ(launches, 1);
}

TEST_F(CudaBackend, MixedDevicesAreAnErrorThatNamesThem) {
  const Tensor here = tensor({1.0F, 2.0F});
  const Tensor there = here.to(wick::cuda());

  const std::string text = error_text([&] { (void)(here + there); });

  EXPECT_NE(
      text.find("add: the operands are on different devices: f32[2] on cpu, f32[2] on cuda:0"),
      std::string::npos)
      << text;
}

TEST_F(CudaBackend, GradientsFlowBackToTheHost) {
  Tensor x = tensor({1.0F, 2.0F, 3.0F});
  x.requires_grad_();

  const Tensor there = x.to(wick::cuda());
  sum(there * there).backward();

  EXPECT_EQ(x.grad().device(), cpu());
  EXPECT_EQ(x.grad().to_vector<float>(), (Values{2, 4, 6}));
}

TEST_F(CudaBackend, TheSwitchMovesWholePrograms) {
  Options options = wick::options();
  options.backend = "cuda";
  const ScopedOptions scope(options);

  const Tensor x = tensor({1.0F, -2.0F, 3.0F});

  EXPECT_EQ(x.device(), wick::cuda());
  EXPECT_EQ(zeros({2}).device(), wick::cuda());
  EXPECT_EQ(relu(x).to_vector<float>(), (Values{1, 0, 3}));
}

TEST_F(CudaBackend, AnomaliesAreFoundInTensorsOfADevice) {
  Options options = wick::options();
  options.detect_anomaly = true;
  const ScopedOptions scope(options);
  const Tensor x = tensor({4.0F, -1.0F}).to(wick::cuda());

  const std::string text = error_text([&] { materialize(log(x) + 1); });

  EXPECT_NE(text.find("log: gave NaN at [1] of f32[2]"), std::string::npos) << text;
}

TEST_F(CudaBackend, ProgramsAreValidatedOnTensorsOfADevice) {
  Options options = wick::options();
  options.validate = true;
  const ScopedOptions scope(options);
  const Tensor x = tensor({1.0F, 2.0F, 3.0F}).to(wick::cuda());

  EXPECT_EQ((x * x + 1).to_vector<float>(), (Values{2, 5, 10}));
}

TEST_F(CudaBackend, SteadyRunsAreReplayed) {
  Tensor x = ones({64}).to(wick::cuda());
  materialize(x);
  gpu_.driver().take_calls();

  for (int step = 0; step < 8; ++step) {
    x = tanh(x) * 2;
    materialize(x);
  }

  std::string calls;
  for (const std::string& call : gpu_.driver().take_calls())
    calls += call + "\n";
  EXPECT_NE(calls.find("cuGraphLaunch"), std::string::npos) << calls;
  double expected = 1;
  for (int step = 0; step < 8; ++step)
    expected = std::tanh(expected) * 2;
  EXPECT_NEAR(x.to_vector<float>()[63], expected, 1e-5);
}

TEST_F(CudaBackend, ScalarsChangeFromRunToRun) {
  const Tensor x = ones({5}).to(wick::cuda());
  materialize(x);

  for (const float factor : {3.0F, 5.0F, 7.0F, 11.0F})
    EXPECT_EQ((x * factor + factor).to_vector<float>(), Values(5, 2 * factor));
}

TEST_F(CudaBackend, WhatNoDeviceCodeDoesTheHostDoes) {
  const Tensor x = tensor({4, 1, 1, 3}).to(DType::i8).reshape({2, 2}).to(wick::cuda());

  const Tensor square = matmul(x, x);

  EXPECT_EQ(square.device(), wick::cuda());
  EXPECT_NE(explain(square).find("[host, native matmul]"), std::string::npos);
  EXPECT_EQ(square.to_vector<int8_t>(), (std::vector<int8_t>{17, 7, 7, 10}));
}

TEST_F(CudaBackend, ModulesMoveAndTrain) {
  manual_seed(7);
  nn::Linear layer(4, 3);
  layer.to(wick::cuda());
  optim::SGD optimizer(layer.parameters(), {.lr = 0.1});
  const Tensor x = randn({8, 4}).to(wick::cuda());
  const Tensor target = randn({8, 3}).to(wick::cuda());
  float first = 0;
  float last = 0;
  for (int step = 0; step < 20; ++step) {
    optimizer.zero_grad();
    const Tensor error = layer(x) - target;
    const Tensor loss = mean(error * error);
    loss.backward();
    optimizer.step();
    last = loss.item<float>();
    if (step == 0) first = last;
  }

  EXPECT_EQ(layer.parameters()[0].value().device(), wick::cuda());
  EXPECT_LT(last, 0.8F * first);
}

TEST_F(CudaBackend, SlicesAtAnyPlaceAreReadRight) {
  const Tensor rows = arange(0, 35).reshape({7, 5}).to(wick::cuda());
  materialize(rows);
  gpu_.driver().take_calls();

  for (int64_t row = 0; row < 7; ++row) {
    const Tensor one = slice(rows, 0, row, row + 1);
    EXPECT_TRUE(one.is_materialized());
    EXPECT_EQ((one * 2).to_vector<int64_t>()[4], 2 * (5 * row + 4));
  }
  EXPECT_EQ(std::ranges::count_if(
                gpu_.driver().take_calls(),
                [](const std::string& call) { return call.starts_with("cuMemcpyDtoDAsync"); }),
            6)
      << "rows of 40 bytes that do not begin at a multiple of 64 are copied";
}

TEST_F(CudaBackend, ProductsTakeHalvesAndBiases) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const auto there = [&](std::initializer_list<float> values, Shape shape) {
      return reshape(tensor(values), std::move(shape)).to(dtype).to(wick::cuda());
    };
    const Tensor product = matmul(there({1, 2, 3, 4}, {2, 2}), there({5, 6, 7, 8}, {2, 2}));
    const Tensor y = product + there({100, -100}, {2});

    const std::string plan = explain(y);

    EXPECT_NE(plan.find("[cuBLASLt matmul, bias]"), std::string::npos) << plan;
    EXPECT_NE(plan.find(" 0 kernel launches, 1 library calls"), std::string::npos) << plan;
    EXPECT_EQ(y.to(DType::f32).to_vector<float>(), (Values{119, -78, 143, -50}));
  }
}

TEST_F(CudaBackend, AnEpilogueThatCublasLtDoesNotHaveIsComputedOnTheHost) {
  const Tensor x = ones({2, 2}).to(wick::cuda());
  const Tensor bias = tensor({1.0F, 2.0F}).to(wick::cuda());
  gpu_.cublaslt().find_nothing();

  EXPECT_EQ((matmul(x, x) + bias).to_vector<float>(), (Values{3, 4, 3, 4}));
}

TEST_F(CudaBackend, TensorsOfBothDevicesMaterializeTogether) {
  const Tensor here = tensor({1.0F, 2.0F}) * 3;
  const Tensor there = tensor({1.0F, 2.0F}).to(wick::cuda()) * 3;

  materialize(here, there);

  EXPECT_EQ(here.to_vector<float>(), there.to_vector<float>());
  EXPECT_NE(explain(there + 1).find("Plan (cuda)"), std::string::npos);
}

TEST_F(CudaBackend, RunningOutOfMemoryNamesTheOp) {
  gpu_.driver().set_memory_bytes(1 << 20);

  const std::string text = error_text([&] { materialize(ones({1 << 22}).to(wick::cuda())); });

  EXPECT_NE(text.find("out of memory"), std::string::npos) << text;
  EXPECT_NE(text.find("cuda_backend_test.cpp"), std::string::npos) << text;
}

TEST(CudaTargets, AKindOfGpuCompilesWithoutOne) {
  Options options = wick::options();
  options.backend = "cuda:sm_90";
  const ScopedOptions scope(options);

  const std::string plan = explain(softmax(ones({64, 1000}) * 3, -1));

  EXPECT_NE(plan.find("kernel"), std::string::npos) << plan;
  const std::string text = error_text([] { materialize(ones({4})); });
  EXPECT_NE(text.find("cuda:sm_90: this program was compiled for a kind of GPU"), std::string::npos)
      << text;
}

TEST(CudaTargets, TheHostsBackendKeepsItsOwnPipeline) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  Options options = wick::options();
  options.backend = "cuda:sm_90";
  const ScopedOptions scope(options);
  constexpr const char* kLinear = R"(
graph @f(%x: f32[8,4], %w: f32[4,6], %b: f32[6]) -> (f32[8,6]) {
  %0 = matmul %x, %w : f32[8,6]
  %1 = add %0, %b : f32[8,6]
  return %1
})";

  const ProgramSummary summary = find_backend("llvm").compile(ir::parse_graph(kLinear))->summary();

  EXPECT_EQ(summary.num_library_calls, 1);
  EXPECT_EQ(summary.num_kernels, 1);
  EXPECT_EQ(summary.num_interpreted, 0);
}

TEST(CudaTargets, RowsThatRunInOrderAreRefused) {
  auto graph = ir::parse_graph(R"(
graph @sums(%x: f32[128,64]) -> (f32[128], f32[64]) {
  %0 = reduce_sum %x {axes = [1]} : f32[128]
  %1 = reduce_sum %x {axes = [0]} : f32[64] loc("net.cpp":3:4)
  return %0, %1
})");
  passes::PassContext context;
  passes::PassManager::parse("fuse").run(*graph, context);

  const std::string text =
      error_text([&] { (void)find_backend("cuda:sm_90").compile(std::move(graph)); });

  EXPECT_NE(text.find("k0: its rows run in order"), std::string::npos) << text;
  EXPECT_NE(text.find("net.cpp:3"), std::string::npos) << text;
}

TEST(CudaTargets, WithoutADriverThereIsOneClearError) {
  if (try_driver().api != nullptr) GTEST_SKIP() << "there is a driver";

  const std::string text = error_text([] { (void)ones({3}).to(wick::cuda()); });

  EXPECT_NE(text.find("no driver: libcuda.so.1"), std::string::npos) << text;
  EXPECT_NE(text.find("cuda_backend_test.cpp"), std::string::npos) << text;
}

}  // namespace
}  // namespace wick::runtime::cuda
