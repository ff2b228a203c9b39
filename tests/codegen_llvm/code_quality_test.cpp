// The machine code of hot loops: full-width vectors, no calls, nothing spilled.

#include <algorithm>
#include <sstream>

#include "kernel_builder.h"
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
    if (llvm_compiler().target_id().find("+avx512vl") == std::string::npos) {
      GTEST_SKIP() << "expectations are written for AVX-512";
    }
  }

  static void expect_good_loops(const Kernel& kernel, size_t least) {
    const std::string assembly = llvm_compiler().assembly(kernel);
    const auto loops = innermost_loops(assembly);
    EXPECT_GE(loops.size(), least) << assembly;
    for (const auto& loop : loops) {
      EXPECT_TRUE(mentions(loop, "%zmm")) << assembly;
      EXPECT_FALSE(mentions(loop, "(%rsp)")) << assembly;
      EXPECT_FALSE(mentions(loop, "(%rbp)")) << assembly;
      EXPECT_FALSE(mentions(loop, "call")) << assembly;
    }
  }
};

TEST_F(CodeQuality, Chain) {
  // tanh(a * b + c) * sigmoid(a - c) + 0.5 * b
  KernelBuilder k("chain");
  for (int i = 0; i < 3; ++i)
    k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(1000));
  k.straight();
  const int a = k.load(0, k.at({1}));
  const int b = k.load(1, k.at({1}));
  const int c = k.load(2, k.at({1}));
  const auto f32 = [&](OpKind op, std::vector<int> operands) {
    return k.compute(op, DType::f32, std::move(operands));
  };
  const int left = f32(OpKind::tanh, {f32(OpKind::add, {f32(OpKind::mul, {a, b}), c})});
  const int right = f32(OpKind::sigmoid, {f32(OpKind::sub, {a, c})});
  const int half = k.constant(Literal::scalar(DType::f32, 0.5));
  k.store(3,
          k.at({1}),
          f32(OpKind::add, {f32(OpKind::mul, {left, right}), f32(OpKind::mul, {half, b})}));
  expect_good_loops(k.kernel(), 1);
}

TEST_F(CodeQuality, RowReduction) {
  KernelBuilder k("rows");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(10);
  k.vector(k.inner(1000));
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(0, k.at({1000, 1}))});
  k.straight();
  k.store(1, k.at({1, 0}), sum);
  expect_good_loops(k.kernel(), 2);
}

TEST_F(CodeQuality, ColumnReduction) {
  KernelBuilder k("columns");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(1000));
  k.inner(10);
  k.loop();
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(0, k.at({1, 1000}))});
  k.straight();
  k.store(1, k.at({1, 0}), sum);
  expect_good_loops(k.kernel(), 2);
}

TEST_F(CodeQuality, TheSameKernelGivesTheSameObject) {
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
