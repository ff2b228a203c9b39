// The same small programs on the fake and, where there is one, on a GPU: what the fakes believe of
// the driver and its libraries is then checked against these themselves.

#include <cmath>
#include <numeric>
#include <optional>

#include "runtime_cuda/fake_cublaslt.h"
#include "runtime_cuda/fake_cudnn.h"
#include <gtest/gtest.h>

#include "wick/codegen/cuda/nvrtc.h"
#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/op.h"
#include "wick/runtime/cuda/convolution.h"
#include "wick/runtime/cuda/gpu.h"
#include "wick/runtime/cuda/graph.h"
#include "wick/runtime/cuda/matmul.h"
#include "wick/runtime/cuda/module.h"

namespace wick::runtime::cuda {
namespace {

using Values = std::vector<float>;

struct Fakes {
  FakeDriver driver;
  FakeCublasLt cublaslt{driver};
  FakeCudnn cudnn{driver};
  ScopedDriver scoped_driver{driver.api()};
  ScopedApi<CublasLtApi> scoped_cublaslt{cublaslt.api()};
  ScopedApi<CudnnApi> scoped_cudnn{cudnn.api()};
};

/// Values between -1 and 1 that do not repeat soon.
Values wave(size_t count, double seed) {
  Values values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(std::sin(seed + static_cast<double>(i) * 1.7));
  return values;
}

class GpuProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("fake")) {
      fakes_.emplace();
    } else if (const Found<DriverApi> found = try_driver(); found.api == nullptr) {
      GTEST_SKIP() << found.problem;
    } else if (device_count(*found.api) == 0) {
      GTEST_SKIP() << "the driver shows no GPU";
    }
    gpu_ = &gpu(0);
  }

  /// Device memory for the time of a test.
  std::shared_ptr<void> allocate(size_t bytes) {
    const std::shared_ptr<MemoryManager>& memory = gpu_->memory();
    void* block = memory->allocate(bytes, {.purpose = "test"});
    return {block, [&memory](void* freed) { memory->free(freed); }};
  }

  std::shared_ptr<void> upload(const void* data, size_t bytes) {
    std::shared_ptr<void> block = allocate(bytes);
    gpu_->upload(block.get(), data, bytes);
    return block;
  }

  std::shared_ptr<void> upload(const Values& values) {
    return upload(values.data(), values.size() * sizeof(float));
  }

  Values download(const std::shared_ptr<void>& block, size_t count) {
    Values values(count);
    gpu_->download(values.data(), block.get(), count * sizeof(float));
    return values;
  }

  std::optional<Fakes> fakes_;
  Gpu* gpu_ = nullptr;
};

TEST_P(GpuProgram, MemoryGoesThereAndBack) {
  const Values values = wave(3'000'000, 0);  // three slots of staging

  EXPECT_EQ(download(upload(values), values.size()), values);
}

TEST_P(GpuProgram, AGraphOfCopiesReplays) {
  const Values values = wave(1000, 1);
  const std::shared_ptr<void> from = upload(values);
  const std::shared_ptr<void> to = upload(Values(1000, 7));
  const LaunchGraph graph(gpu_->device(), [&](const Stream& stream) {
    copy_on_device(stream, to.get(), from.get(), 4000);
    fill_zero(stream, from.get(), 400);
  });
  EXPECT_EQ(graph.num_nodes(), 2U);
  EXPECT_EQ(download(to, 1000), Values(1000, 7));

  graph.launch(gpu_->stream());
  EXPECT_EQ(download(to, 1000), values);

  graph.launch(gpu_->stream());
  Values expected = values;
  std::fill_n(expected.begin(), 100, 0.0F);
  EXPECT_EQ(download(to, 1000), expected);
}

TEST_P(GpuProgram, StreamsWaitForEachOther) {
  const Values values = wave(1'000'000, 2);
  const Stream other(gpu_->device());
  const Event uploaded(gpu_->device());
  const Event copied(gpu_->device());
  const std::shared_ptr<void> to = allocate(4'000'000);

  const std::shared_ptr<void> from = upload(values);
  uploaded.record(gpu_->stream());
  other.wait_for(uploaded);
  copy_on_device(other, to.get(), from.get(), 4'000'000);
  copied.record(other);
  gpu_->stream().wait_for(copied);

  EXPECT_EQ(download(to, values.size()), values);
}

/// z or relu(z) or gelu(z) of z = lhs * rhs + bias, rows of n.
Values forward_reference(
    const Values& lhs, const Values& rhs, const Values& bias, size_t n, size_t k, char function) {
  Values result(lhs.size() / k * n);
  for (size_t i = 0; i < result.size(); ++i) {
    double z = bias[i % n];
    for (size_t j = 0; j < k; ++j)
      z += static_cast<double>(lhs[i / n * k + j]) * static_cast<double>(rhs[j * n + i % n]);
    const double inner = std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z));
    if (function == 'r') z = std::max(z, 0.0);
    if (function == 'g') z = 0.5 * z * (1 + inner);
    result[i] = static_cast<float>(z);
  }
  return result;
}

void expect_near(const Values& values, const Values& expected, float tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], tolerance) << i;
}

TEST_P(GpuProgram, MatmulsWithEpilogues) {
  constexpr size_t kM = 48;
  constexpr size_t kN = 40;
  constexpr size_t kK = 56;
  const MatmulShape shape{.m = kM, .n = kN, .k = kK, .lhs_offsets = {0}, .rhs_offsets = {0}};
  const Values lhs = wave(kM * kK, 1);
  const Values rhs = wave(kK * kN, 2);
  const Values bias = wave(kN, 3);

  struct Case {
    Epilogue epilogue;
    bool has_bias;
    char function;
  };

  for (const Case& c : {Case{Epilogue::none, false, 'z'},
                        Case{Epilogue::bias, true, 'z'},
                        Case{Epilogue::relu, false, 'r'},
                        Case{Epilogue::relu_bias, true, 'r'},
                        Case{Epilogue::relu_aux_bias, true, 'r'},
                        Case{Epilogue::gelu, false, 'g'},
                        Case{Epilogue::gelu_bias, true, 'g'},
                        Case{Epilogue::gelu_aux_bias, true, 'g'}}) {
    SCOPED_TRACE(traits_of(c.epilogue).name);
    const Matmul matmul(gpu_->blas(), {.shape = shape, .epilogue = c.epilogue});
    const std::shared_ptr<void> result = upload(Values(kM * kN, -7));
    matmul.enqueue(gpu_->stream(),
                   {.lhs = upload(lhs).get(),
                    .rhs = upload(rhs).get(),
                    .result = result.get(),
                    .bias = upload(bias).get(),
                    .aux = allocate(matmul.aux_bytes()).get(),
                    .workspace = allocate(matmul.workspace_bytes()).get()});

    // Sums of 56 products below 1 in f32, and the library's own tanh.
    expect_near(download(result, kM * kN),
                forward_reference(lhs, rhs, c.has_bias ? bias : Values(kN, 0), kN, kK, c.function),
                1e-4F);
  }
}

TEST_P(GpuProgram, ReluGradientsReadTheBitsOfTheForwardPass) {
  constexpr size_t kM = 32;
  constexpr size_t kN = 24;
  constexpr size_t kK = 16;
  const MatmulShape shape{.m = kM, .n = kN, .k = kK, .lhs_offsets = {0}, .rhs_offsets = {0}};
  const std::shared_ptr<void> lhs = upload(wave(kM * kK, 1));
  const std::shared_ptr<void> rhs = upload(wave(kK * kN, 2));
  const Matmul forward(gpu_->blas(), {.shape = shape, .epilogue = Epilogue::relu_aux});
  const Matmul plain(gpu_->blas(), {.shape = shape});
  const Matmul backward(gpu_->blas(), {.shape = shape, .epilogue = Epilogue::relu_bias_gradients});
  const std::shared_ptr<void> aux = allocate(forward.aux_bytes());
  const std::shared_ptr<void> y = allocate(kM * kN * 4);
  const std::shared_ptr<void> z = allocate(kM * kN * 4);
  const std::shared_ptr<void> gradient = allocate(kM * kN * 4);
  const std::shared_ptr<void> bias_gradient = allocate(kN * 4);
  const std::shared_ptr<void> workspace = allocate(
      std::max({forward.workspace_bytes(), plain.workspace_bytes(), backward.workspace_bytes()}));
  const auto arguments = [&](const std::shared_ptr<void>& result) {
    return MatmulArguments{.lhs = lhs.get(),
                           .rhs = rhs.get(),
                           .result = result.get(),
                           .bias = bias_gradient.get(),
                           .aux = aux.get(),
                           .workspace = workspace.get()};
  };

  forward.enqueue(gpu_->stream(), arguments(y));
  plain.enqueue(gpu_->stream(), arguments(z));
  backward.enqueue(gpu_->stream(), arguments(gradient));

  const Values positive = download(y, kM * kN);
  Values expected = download(z, kM * kN);
  Values expected_sum(kN, 0);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (positive[i] == 0) expected[i] = 0;
    expected_sum[i % kN] += expected[i];
  }
  expect_near(download(gradient, kM * kN), expected, 1e-5F);  // perhaps another algorithm
  expect_near(download(bias_gradient, kN), expected_sum, 1e-4F);
}

TEST_P(GpuProgram, TheSameProductHasTheSameBits) {
  const MatmulShape shape{
      .m = 8, .n = 8, .k = 20'000, .lhs_offsets = {0}, .rhs_offsets = {0}};  // invites split k
  const std::shared_ptr<void> lhs = upload(wave(160'000, 1));
  const std::shared_ptr<void> rhs = upload(wave(160'000, 2));
  const Matmul matmul(gpu_->blas(), {.shape = shape});
  const std::shared_ptr<void> workspace = allocate(matmul.workspace_bytes());
  const std::shared_ptr<void> result = allocate(64 * 4);
  const MatmulArguments arguments{
      .lhs = lhs.get(), .rhs = rhs.get(), .result = result.get(), .workspace = workspace.get()};
  matmul.enqueue(gpu_->stream(), arguments);
  const Values first = download(result, 64);

  for (int repeat = 0; repeat < 5; ++repeat) {
    matmul.enqueue(gpu_->stream(), arguments);

    EXPECT_EQ(download(result, 64), first);
  }
}

TEST_P(GpuProgram, ConvolvesInAllDirections) {
  using ir::Attributes;
  using ir::OpKind;
  using Ints = std::vector<int64_t>;

  struct Case {
    OpKind op;
    Shape first;
    Shape second;
    Attributes attributes;
  };

  const Case cases[] = {
      {OpKind::conv, {2, 8, 9, 9}, {16, 8, 3, 3}, {{"padding", Ints{1, 1}}}},
      {OpKind::conv, {2, 8, 9, 9}, {16, 4, 3, 3}, {{"groups", int64_t{2}}}},
      {OpKind::conv, {2, 8, 20}, {16, 8, 5}, {{"stride", Ints{2}}}},
      {OpKind::conv, {2, 1, 9, 9, 8}, {16, 8, 3, 3}, {{"block", int64_t{16}}}},
      {OpKind::conv_input_grad, {2, 16, 7, 7}, {16, 8, 3, 3}, {{"input_shape", Ints{2, 8, 9, 9}}}},
      {OpKind::conv_weight_grad,
       {2, 8, 9, 9},
       {2, 16, 7, 7},
       {{"weight_shape", Ints{16, 8, 3, 3}}}}};
  for (const Case& c : cases) {
    LibraryOp op{c.op, c.attributes, {{DType::f32, c.first}, {DType::f32, c.second}}, {}};
    const std::vector<const Type*> types{&op.operands[0], &op.operands[1]};
    op.result = ir::infer_type(c.op, types, c.attributes, {});
    SCOPED_TRACE(fmt::format("{} {}", op.op, op.operands[0]));
    const Values first = wave(static_cast<size_t>(op.operands[0].numel()), 1);
    const Values second = wave(static_cast<size_t>(op.operands[1].numel()), 2);
    const Literal first_literal = Literal::from<float>(c.first, first);
    const Literal second_literal = Literal::from<float>(c.second, second);
    const std::vector<const Literal*> literals{&first_literal, &second_literal};
    const Literal expected = ir::interpret_op(op.op, op.attributes, literals, op.result);
    const Convolution convolution(gpu_->dnn(), op);
    const std::shared_ptr<void> result = allocate(op.result.num_bytes());

    const std::shared_ptr<void> there[] = {upload(first), upload(second)};
    const void* const addresses[] = {there[0].get(), there[1].get()};
    const std::shared_ptr<void> workspace = allocate(convolution.workspace_bytes());
    convolution.enqueue(
        gpu_->stream(),
        {.operands = addresses, .result = result.get(), .workspace = workspace.get()});

    const std::span<const float> values = expected.values<float>();
    expect_near(download(result, values.size()), {values.begin(), values.end()}, 1e-4F);
  }
}

constexpr auto kAddOne = R"(
extern "C" __global__ void add_one(float* values, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += 1;
})";

TEST_P(GpuProgram, KernelsRunAloneAndInGraphs) {
  if (fakes_) GTEST_SKIP() << "the fake runs no machine code";
  const codegen::cuda::Nvrtc& nvrtc = codegen::cuda::Nvrtc::instance();
  if (!nvrtc.is_available()) GTEST_SKIP() << nvrtc.problem();
  const Module module(gpu_->device(), nvrtc.compile(kAddOne, gpu_->device().properties().sm).image);
  const DeviceKernel kernel = module.kernel("add_one");
  const std::shared_ptr<void> values = upload(Values(1000, 1));
  void* address = values.get();
  uint32_t count = 1000;
  void* const arguments[] = {&address, &count};
  const LaunchShape shape{.grid = {8, 1, 1}, .block = {128, 1, 1}};
  const auto enqueue = [&](const Stream& stream) { launch(stream, kernel, shape, arguments); };

  enqueue(gpu_->stream());
  const LaunchGraph graph(gpu_->device(), [&](const Stream& stream) {
    enqueue(stream);
    enqueue(stream);
  });
  graph.launch(gpu_->stream());

  EXPECT_EQ(download(values, 1000), Values(1000, 4));
}

INSTANTIATE_TEST_SUITE_P(On, GpuProgram, testing::Values("fake", "device"), [](const auto& where) {
  return std::string(where.param);
});

}  // namespace
}  // namespace wick::runtime::cuda
