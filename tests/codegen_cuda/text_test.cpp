// The text of kernels: what matters for speed is there, in order.

#include "codegen/run_lowered.h"
#include "codegen_llvm/sample_kernels.h"
#include "graph_cases.h"
#include <gtest/gtest.h>

#include "wick/codegen/cuda/program_text.h"
#include "wick/codegen/lower.h"

namespace wick::codegen::cuda::test {
namespace {

/// Expects the lines one after the other, others between them; leading spaces do not count.
void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  size_t at = 0;
  for (const std::string& line : lines) {
    const size_t found = text.find(line, at);
    ASSERT_NE(found, std::string::npos) << "missing: " << line << "\nin:\n" << text;
    at = found + line.size();
  }
}

std::string text_of(const Kernel& kernel, std::span<const int64_t> params) {
  return kernel_text({.kernel = &kernel, .form = choose_form(kernel, params), .symbol = "k"});
}

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(CudaText, AChainMovesInVectors) {
  codegen::test::KernelBuilder k = codegen::test::chain_kernel(1 << 20);

  expect_lines(
      text_of(k.kernel(), k.params()),
      {"extern \"C\" __global__ void __launch_bounds__(256, 1)\n",
       "k(const float* __restrict__ b0, const float* __restrict__ b1, "
       "const float* __restrict__ b2, float* __restrict__ b3, const Params<1> params) {",
       "using Index = int;",
       "for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)",
       "const Index base = i * 4;",
       "const auto x0 = load_vector<4>(b0 + (base));",
       "const auto x1 = load_vector<4>(b1 + (base));",
       "const auto x2 = load_vector<4>(b2 + (base));",
       "for (int e = 0; e < 4; ++e) {",
       "const float v3 = op_mul(v0, v1);",
       "const float v5 = op_tanh(v4);",
       "put(&y12.at[e], v11);",
       "store_vector(b3 + (base), y12);"});
}

TEST(CudaText, ASoftmaxReadsAndWritesMemoryOnce) {
  const GraphCase c = from_text(softmax(64, 1024, "f32"));
  const LoweredFusion lowered = lower(*wick::test::fusions_of(*c.fused).at(0));
  ASSERT_EQ(lowered.launches.size(), 1U);

  const std::string text = text_of(*lowered.launches[0].kernel, lowered.launches[0].params);

  EXPECT_EQ(count_of(text, "load_vector"), 1U) << text;
  EXPECT_EQ(count_of(text, "store_vector"), 1U) << text;
  EXPECT_EQ(count_of(text, "op_exp"), 1U) << text;
  expect_lines(text,
               {"h0[j] = load_vector<4>(",
                "Max<float>::merge",
                "merge_warp<Max<float>>",
                "op_exp(",
                "Sum<float>::merge",
                "merge_warp<Sum<float>>",
                "op_div(",
                "store_vector("});
}

TEST(CudaText, SumsOfColumnsReadNeighboursSideBySide) {
  codegen::test::KernelBuilder k = codegen::test::column_sum_kernel(1000, 4096);

  expect_lines(text_of(k.kernel(), k.params()),
               {"const int t = threadIdx.y;",
                "const int unit = threadIdx.x;",
                "for (Index i = t; i < inner; i += threads) {",
                "from_memory(*(b0 + (d0 + d1 * p2)))",
                "if (is_shared) __syncthreads();",
                "merge_shared<Sum<float>>(s1 + unit, threads, units);",
                "if (t == 0 && is_live) put(b1 + (d0), v1);"});
}

TEST(CudaText, ATransposeGoesThroughSharedMemory) {
  const GraphCase c = from_text(R"(
graph @transposed(%x: f32[70,45]) -> (f32[45,70]) {
  %0 = permute %x {axes = [1,0]} : f32[45,70]
  %1 = neg %0 : f32[45,70]
  return %1
})");
  const LoweredFusion lowered = lower(*wick::test::fusions_of(*c.fused).at(0));

  expect_lines(text_of(*lowered.launches[0].kernel, lowered.launches[0].params),
               {"const auto x0 = reinterpret_cast<float(*)[33]>(shared + 0);",
                "const Index d0 = corner0 + threadIdx.x;",
                "const Index d1 = corner1 + k;",
                "x0[k][threadIdx.x] = *(b0 + (d0 + d1 * p",
                "__syncthreads();",
                "const Index d1 = corner1 + threadIdx.x;",
                "const Index d0 = corner0 + k;",
                "const float v0 = from_memory(x0[threadIdx.x][k]);",
                "put(b1 + (d0 * p"});
}

TEST(CudaText, ConstantsReadBackAsThemselves) {
  codegen::test::KernelBuilder k("constants");
  k.buffer(DType::f32, true);
  k.buffer(DType::i64, true);
  k.vector(k.outer(8));
  k.straight();
  k.store(0, k.at({1}), k.constant(Literal::scalar(DType::f32, 0.1)));
  k.store(0, k.at({1}), k.constant(Literal::scalar(DType::f32, -0.0)));
  k.store(0, k.at({1}), k.constant(Literal::scalar(DType::f32, INFINITY)));
  k.store(1, k.at({1}), k.constant(Literal::scalar_integer(DType::i64, INT64_MIN)));

  expect_lines(
      text_of(k.kernel(), k.params()),
      {"= 0.1f;", "= -0.0f;", "= bits_as<float>(u32(0x7f800000));", "= Limits<i64>::low();"});
}

TEST(CudaText, SharedHelpersComeOnce) {
  codegen::test::KernelBuilder k = codegen::test::chain_kernel(1024);
  const KernelForm form = choose_form(k.kernel(), k.params());
  const ProgramKernel kernels[] = {{&k.kernel(), form, "first"}, {&k.kernel(), form, "second"}};

  const std::string text = program_text(kernels);

  EXPECT_EQ(count_of(text, "struct Half {"), 1U);
  EXPECT_EQ(count_of(text, "extern \"C\" __global__"), 2U);
}

}  // namespace
}  // namespace wick::codegen::cuda::test
