// The machine code of hot loops: full-width vectors, no calls, hardly anything spilled.

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>
#include <vector>

#include "sample_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

/// Blocks that jump back to their own start: the innermost loops.
std::vector<std::vector<std::string>> innermost_loops(const std::string& assembly) {
  std::vector<std::vector<std::string>> loops;
  std::vector<std::string> block;
  std::string label;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".LBB")) {
      label = line.substr(0, line.find(':'));
      block.clear();
      continue;
    }
    if (!line.starts_with("\t") || line.starts_with("\t.")) continue;
    block.push_back(line);
    if (!label.empty() && line.starts_with("\tj") && line.ends_with(label)) loops.push_back(block);
  }
  return loops;
}

bool mentions(const std::vector<std::string>& block, const std::string& text) {
  return std::ranges::any_of(
      block, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

class CodeQuality : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_avx512()) GTEST_SKIP() << "expectations are written for AVX-512";
  }

  static void expect_good_loops(const Kernel& kernel, size_t least, bool may_spill = false) {
    const std::string assembly = llvm_compiler().assembly(kernel);
    const auto loops = innermost_loops(assembly);
    EXPECT_GE(loops.size(), least) << assembly;
    for (const auto& loop : loops) {
      if (mentions(loop, "subq\t$4096, %rsp")) continue;  // touches the pages of the stack
      EXPECT_TRUE(mentions(loop, "%zmm")) << assembly;
      EXPECT_TRUE(may_spill || !mentions(loop, "(%rsp)")) << assembly;
      EXPECT_TRUE(may_spill || !mentions(loop, "(%rbp)")) << assembly;
      EXPECT_FALSE(mentions(loop, "call")) << assembly;
    }
  }
};

TEST_F(CodeQuality, Chain) {
  // Four vectors at once are worth it although a few constants and values leave the registers.
  expect_good_loops(chain_kernel(1000).kernel(), 2, true);
}

TEST_F(CodeQuality, Softmax) {
  expect_good_loops(softmax_kernel(10, 1000).kernel(), 5);
}

TEST_F(CodeQuality, RowSums) {
  expect_good_loops(row_sum_kernel(10, 1000).kernel(), 2);
}

TEST_F(CodeQuality, ColumnSums) {
  expect_good_loops(column_sum_kernel(10, 1000).kernel(), 2);
}

TEST_F(CodeQuality, SumsOfChannels) {
  constexpr int64_t kPixels = 500;
  KernelBuilder k("sums");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32);
  const int sums = k.buffer(DType::f32, true);
  k.outer(10);
  k.vector(k.outer(16));
  k.inner(kPixels);
  k.kernel().short_vector = true;
  k.loop();
  const Affine place = k.at({kPixels * 16, 1, 16});
  const std::array<int, 2> of{k.load(x, place), k.load(y, place)};
  std::vector<int> all;
  for (const auto& [a, b] : {std::pair{0, 0}, {0, 1}, {1, 1}}) {
    const int product = k.compute(
        OpKind::mul, DType::f32, {of[static_cast<size_t>(a)], of[static_cast<size_t>(b)]});
    all.push_back(k.accumulate(OpKind::reduce_sum, DType::f32, {product}));
  }
  all.push_back(k.accumulate(OpKind::reduce_sum, DType::f32, {of[0]}));
  k.straight();
  for (size_t i = 0; i < all.size(); ++i)
    k.store(sums, k.at({64, 1, 0}, static_cast<int64_t>(i) * 16), all[i]);
  expect_good_loops(k.kernel(), 2);
}

TEST(LlvmCompiler, TheSameKernelGivesTheSameObject) {
  KernelBuilder k = elementwise(OpKind::tanh, {DType::f32}, DType::f32, 1);
  EXPECT_EQ(llvm_compiler().compile(k.kernel(), "k"), llvm_compiler().compile(k.kernel(), "k"));
}

TEST(LlvmCompiler, GivesItsIrAsText) {
  KernelBuilder k = elementwise(OpKind::neg, {DType::f32}, DType::f32, 1);
  EXPECT_NE(llvm_compiler().llvm_ir(k.kernel()).find("fneg contract"), std::string::npos);
}

TEST(LlvmCompiler, RefusesWhatIsNoObject) {
  const std::vector<std::byte> nonsense(100, std::byte{42});
  EXPECT_THROW(llvm_compiler().load(nonsense, "k"), std::runtime_error);
  KernelBuilder k = elementwise(OpKind::neg, {DType::f32}, DType::f32, 1);
  const std::vector<std::byte> object = llvm_compiler().compile(k.kernel(), "k");
  EXPECT_THROW(llvm_compiler().load(object, "another"), std::runtime_error);
}

}  // namespace
}  // namespace wick::codegen::test
