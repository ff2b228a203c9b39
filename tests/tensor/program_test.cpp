// What plain expressions become, seen from the public API.

#include <gtest/gtest.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/plan_cache.h"

namespace wick {
namespace {

class Program : public testing::Test {
 protected:
  void SetUp() override {
    if (options().backend != "llvm") GTEST_SKIP() << "checks compiled kernels";
  }

  static Tensor value(Shape shape) {
    Tensor t = rand(std::move(shape));
    materialize(t);
    return t;
  }

  static runtime::ProgramSummary run(const Tensor& t) {
    materialize(t);
    return detail::last_program_summary();
  }
};

TEST_F(Program, AnElementwiseChainIsOneKernelWithoutTemporaries) {
  const Shape shape = {16 << 20};
  const Tensor a = value(shape);
  const Tensor b = value(shape);
  const Tensor c = value(shape);

  const runtime::ProgramSummary program = run(tanh(a * b + c) * sigmoid(a - c) + 0.5F * b);

  EXPECT_EQ(program.num_ops, 8);
  EXPECT_EQ(program.num_kernels, 1);
  EXPECT_EQ(program.num_library_calls, 0);
  EXPECT_EQ(program.arena_bytes, 0);
}

TEST_F(Program, SoftmaxFromPrimitivesIsOneKernel) {
  const Tensor x = value({4096, 4096});
  const Tensor e = exp(x - max(x, {-1}, true));

  const runtime::ProgramSummary program = run(e / sum(e, {-1}, true));

  EXPECT_EQ(program.num_ops, 5);
  EXPECT_EQ(program.num_kernels, 1);
  EXPECT_EQ(program.arena_bytes, 0);
}

TEST_F(Program, LayerNormFromPrimitivesIsOneKernel) {
  const Tensor x = value({512, 768});
  const Tensor d = x - mean(x, {-1}, true);

  const runtime::ProgramSummary program = run(d * rsqrt(mean(d * d, {-1}, true) + 1e-5));

  EXPECT_EQ(program.num_kernels, 1);
}

TEST_F(Program, ResultsThatShareTheirLoadsAreOneKernel) {
  const Tensor x = value({1000});
  const Tensor y = value({1000});
  const Tensor r1 = x + y;
  const Tensor r2 = x * y;
  const Tensor r3 = exp(x - y);

  materialize(r1, r2, r3);

  EXPECT_EQ(detail::last_program_summary().num_kernels, 1);
}

TEST_F(Program, UnrolledLoopsWithManyInputsStayWithinTheLimits) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 200; ++i)
    inputs.push_back(value({64}));
  Tensor total = inputs[0];
  for (const Tensor& input : inputs)
    total = total * 0.3 + input;

  const runtime::ProgramSummary program = run(total);

  // 48 operands a kernel at most, four numbers for one: 200 tensors and 200 numbers need six
  // kernels or more, and a cut that wastes half of a kernel's room would need twice as many.
  EXPECT_GE(program.num_kernels, 6);
  EXPECT_LE(program.num_kernels, 12);
}

int64_t kernels_seen() {
  const codegen::KernelCacheStats stats = codegen::KernelCache::instance().stats();
  return stats.compiled + stats.disk_hits;
}

TEST_F(Program, ReadingAtEveryIntervalNeedsABoundedNumberOfKernels) {
  Options few_operands = options();
  few_operands.pass_pipeline = "canonicalize,cse,dce,fuse{max-operands=12},plan-memory";
  const ScopedOptions scope(few_operands);
  Tensor b = value({3});
  const int64_t before = kernels_seen();
  int64_t settled = 0;
  constexpr int kSettled = 64;
  constexpr int kLongest = 110;

  for (int length = 1; length <= kLongest; ++length) {
    for (int i = 0; i < length; ++i)
      b = b + 0.02F;
    materialize(b);
    if (length == kSettled) settled = kernels_seen();
  }

  // A kernel for each length up to the limit of operands, of 44 numbers beside b, and none beyond
  // it.
  EXPECT_LE(kernels_seen() - before, 60);
  EXPECT_EQ(kernels_seen(), settled);
}

TEST_F(Program, TheOrderOfWritingDoesNotMatter) {
  const Tensor a = value({40, 50});
  const Tensor b = value({40, 50});
  const Tensor c = value({40, 50});
  const auto first = [&] {
    const Tensor product = a * b;
    const Tensor curve = tanh(c - b);
    const Tensor total = product + curve;
    const Tensor rows = sum(maximum(total, product) * a, {1});
    materialize(total, rows);
  };
  const auto second = [&] {
    const Tensor curve = tanh(c - b);
    const Tensor product = b * a;
    const Tensor total = curve + product;
    const Tensor rows = sum(a * maximum(product, total), {1});
    materialize(total, rows);
  };
  first();
  const int64_t before = kernels_seen();

  second();

  EXPECT_EQ(kernels_seen(), before);
}

TEST_F(Program, SumsOfManyOnesAreExact) {
  // One f32 accumulator stops at 2^24.
  constexpr int64_t kCount = int64_t{1} << 26;
  const Tensor stored = value({kCount}) * 0 + 1;
  materialize(stored);

  EXPECT_EQ(stored.sum().item<double>(), kCount);
  EXPECT_EQ(ones({kCount}).sum().item<double>(), kCount);
  EXPECT_EQ(stored.reshape({1 << 13, 1 << 13}).sum({0}).sum().item<double>(), kCount);
  EXPECT_EQ(stored.reshape({2, kCount / 2}).sum({1}).sum().item<double>(), kCount);
}

TEST_F(Program, OneLongColumnOfOnesSumsExactly) {
  constexpr int64_t kCount = int64_t{1} << 25;
  const Tensor stored = value({kCount, 3}) * 0 + 1;

  EXPECT_EQ(stored.sum({0}).to_vector<double>(), (std::vector<double>(3, kCount)));
}

}  // namespace
}  // namespace wick
