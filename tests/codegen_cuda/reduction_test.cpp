// Reductions as CUDA text run on the host, along contiguous and strided axes of awkward extents,
// against the kernel interpreter.

#include <cmath>
#include <limits>
#include <random>

#include "codegen_llvm/kernel_builder.h"
#include "codegen_llvm/reduction_case.h"
#include "codegen_llvm/sample_kernels.h"
#include "emulated_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::cuda::test {
namespace {

using codegen::test::expect_close;
using codegen::test::KernelBuilder;
using codegen::test::kReductions;
using codegen::test::random_values;
using codegen::test::ReductionCase;
using ir::OpKind;

/// Products of many numbers below 1 end among the denormals.
constexpr double kSmallest = 1e-44;

void interpret_whole(KernelBuilder& k, std::vector<void*> buffers) {
  const Kernel& kernel = k.kernel();
  const bool inner = kernel.vector_is_inner();
  const int64_t outer = outer_count(kernel, k.params());
  const int64_t columns =
      inner ? 1 : extent_of(kernel, k.params(), static_cast<size_t>(kernel.vector_dim));
  interpret(kernel, buffers.data(), k.params().data(), 0, outer / columns, 0, columns);
}

void expect_agreement(const std::vector<ReductionCase>& cases) {
  EmulatedKernels emulated;
  for (const ReductionCase& c : cases) {
    KernelBuilder k = kernel_of(c);
    ASSERT_EQ(verify(k.kernel()), std::nullopt);
    emulated.add(std::make_shared<Kernel>(k.kernel()), k.params());
  }
  emulated.compile();
  for (const ReductionCase& c : cases) {
    KernelBuilder k = kernel_of(c);
    Literal x = c.values();
    Literal expected(Type{c.result_dtype(), {c.results()}});
    Literal actual(expected.type());
    interpret_whole(k, {x.data(), expected.data()});

    emulated.run(k.kernel(), k.params(), std::vector<void*>{x.data(), actual.data()});

    expect_close(actual, expected, c.text(), kSmallest);
  }
}

constexpr int64_t kExtents[] = {1, 7, 31, 32, 33, 64, 127, 128, 500, 1000, 2052};

TEST(CudaReductions, RowsOfAnyLengthAgree) {
  std::vector<ReductionCase> cases;
  for (const OpKind op : kReductions) {
    for (const int64_t extent : kExtents) {
      for (const bool special : {false, true})
        cases.push_back({op, DType::f32, 3, extent, true, special});
    }
  }
  cases.push_back({OpKind::reduce_sum, DType::f32, 4097, 40});
  expect_agreement(cases);
}

TEST(CudaReductions, ColumnsOfAnyLengthAgree) {
  std::vector<ReductionCase> cases;
  for (const OpKind op : kReductions) {
    for (const int64_t extent : kExtents)
      cases.push_back({op, DType::f32, extent, 35, false, true});
    for (const int64_t columns : {1, 16, 32, 300})
      cases.push_back({op, DType::f32, 9, columns, false});
  }
  expect_agreement(cases);
}

TEST(CudaReductions, EveryDTypeAgrees) {
  std::vector<ReductionCase> cases;
  for (const OpKind op : kReductions) {
    for (int d = 0; d < kNumDTypes; ++d) {
      for (const int64_t columns : {77, 320}) {
        cases.push_back({op, static_cast<DType>(d), 2, columns, true});
        cases.push_back({op, static_cast<DType>(d), columns, 20, false});
      }
    }
  }
  expect_agreement(cases);
}

/// Rows are held in registers, walked in loops of aligned and of odd ones.
TEST(CudaReductions, SoftmaxOfRowsOfAnyLengthAgrees) {
  constexpr int64_t kRows = 5;
  const std::vector<int64_t> lengths = {1, 5, 32, 100, 128, 129, 512, 1000, 1001, 4096, 9000, 9001};
  EmulatedKernels emulated;
  for (const int64_t length : lengths) {
    KernelBuilder k = codegen::test::softmax_kernel(kRows, length);
    emulated.add(std::make_shared<Kernel>(k.kernel()), k.params());
  }
  emulated.compile();
  EXPECT_GE(emulated.kernels().size(), 5U);  // several forms
  for (const int64_t length : lengths) {
    KernelBuilder k = codegen::test::softmax_kernel(kRows, length);
    Literal x = random_values(DType::f32, kRows * length, 3);
    Literal expected(x.type());
    Literal actual(x.type());
    interpret_whole(k, {x.data(), expected.data()});

    emulated.run(k.kernel(), k.params(), std::vector<void*>{x.data(), actual.data()});

    expect_close(actual, expected, std::to_string(length), kSmallest);
  }
}

TEST(CudaReductions, BlocksCoverTheRangeOnce) {
  constexpr int64_t kCount = 1000;
  const auto make = [](int64_t size) {
    KernelBuilder k("blocks");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32, true);
    const int outer = k.outer((kCount + size - 1) / size);
    const int inner = k.inner(kCount);
    k.vector(inner);
    k.blocks(outer, inner, size);
    k.loop();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {k.load(x, k.at({0, 1}))});
    k.straight();
    k.store(y, k.at({1, 0}), sum);
    return k;
  };
  Literal x = random_values(DType::f32, kCount, 5);
  EmulatedKernels emulated;
  for (const int64_t size : {64, 100, 101, 999, 1000, 5000}) {
    KernelBuilder k = make(size);
    emulated.add(std::make_shared<Kernel>(k.kernel()), k.params());
  }
  emulated.compile();
  for (const int64_t size : {64, 100, 101, 999, 1000, 5000}) {
    KernelBuilder k = make(size);
    Literal expected(Type{DType::f32, {(kCount + size - 1) / size}});
    Literal actual(expected.type());
    interpret_whole(k, {x.data(), expected.data()});

    emulated.run(k.kernel(), k.params(), std::vector<void*>{x.data(), actual.data()});

    expect_close(actual, expected, std::to_string(size), kSmallest);
  }
}

/// Sums of ones are exact as long as every partial one is.
TEST(CudaReductions, LongSumsKeepTheirDigits) {
  constexpr int64_t kCount = int64_t{1} << 25U;
  KernelBuilder k = codegen::test::row_sum_kernel(1, kCount);
  EmulatedKernels emulated;
  emulated.add(std::make_shared<Kernel>(k.kernel()), k.params());
  emulated.compile();
  std::vector<float> ones(kCount, 1.0F);
  float sum = 0;

  emulated.run(k.kernel(), k.params(), std::vector<void*>{ones.data(), &sum});

  EXPECT_EQ(sum, static_cast<float>(kCount));
}

}  // namespace
}  // namespace wick::codegen::cuda::test
