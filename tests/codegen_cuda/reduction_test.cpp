// Reductions as CUDA text run on the host, along contiguous and strided axes of awkward extents,
// against the kernel interpreter.

#include <cmath>
#include <limits>
#include <random>

#include "codegen_llvm/kernel_builder.h"
#include "codegen_llvm/sample_kernels.h"
#include "emulated_kernels.h"
#include <gtest/gtest.h>

namespace wick::codegen::cuda::test {
namespace {

using codegen::test::KernelBuilder;
using ir::OpKind;

constexpr OpKind kReductions[] = {OpKind::reduce_sum,
                                  OpKind::reduce_prod,
                                  OpKind::reduce_max,
                                  OpKind::reduce_min,
                                  OpKind::argmax};

/// Small numbers with many ties, and a NaN where `special`.
Literal random_values(DType dtype, int64_t count, uint64_t seed, bool special) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> reals(0.5, 1.5);
  Literal values(Type{dtype, {count}});
  const size_t size = size_of(dtype);
  for (int64_t i = 0; i < count; ++i) {
    const double drawn = std::round(reals(generator) * 16) / 16;
    const bool is_nan = special && i == count * 2 / 3;
    const Literal value =
        is_float(dtype) ? Literal::scalar(dtype, is_nan ? std::nan("") : drawn)
                        : Literal::scalar_integer(dtype, static_cast<int64_t>(generator() % 7) - 3);
    std::memcpy(values.data() + static_cast<size_t>(i) * size, value.data(), size);
  }
  return values;
}

struct ReductionCase {
  OpKind op = OpKind::reduce_sum;
  DType dtype = DType::f32;
  int64_t rows = 1;
  int64_t columns = 1;
  bool along_columns = true;  // one result a row
  bool special = false;

  [[nodiscard]] int64_t results() const { return along_columns ? rows : columns; }

  [[nodiscard]] DType result_dtype() const { return op == OpKind::argmax ? DType::i64 : dtype; }

  [[nodiscard]] std::string text() const {
    return std::string(ir::to_string(op)) + " " + std::string(to_string(dtype)) + " " +
           std::to_string(rows) + "x" + std::to_string(columns) +
           (along_columns ? " rows" : " columns");
  }
};

KernelBuilder kernel_of(const ReductionCase& c) {
  KernelBuilder k("reduction");
  const int x = k.buffer(c.dtype);
  const int y = k.buffer(c.result_dtype(), true);
  const int outer = k.outer(c.results());
  const int inner = k.inner(c.along_columns ? c.columns : c.rows);
  k.vector(c.along_columns ? inner : outer);
  k.loop();
  const int value = k.load(x, c.along_columns ? k.at({c.columns, 1}) : k.at({1, c.columns}));
  std::vector<int> operands = {value};
  if (c.op == OpKind::argmax) operands.push_back(k.index(k.at({0, 1})));
  const int reduced = k.accumulate(c.op, c.result_dtype(), operands);
  k.straight();
  k.store(y, k.at({1, 0}), reduced);
  return k;
}

/// At most 1000 terms of one sign, each rounded to 24 bits; half types are rounded once more.
double tolerance_of(DType dtype) {
  return dtype == DType::f64   ? 1e-12
         : dtype == DType::f32 ? 3e-5
         : dtype == DType::f16 ? 1e-3
                               : 8e-3;
}

/// Products of many numbers below 1 end among the denormals.
constexpr double kSmallest = 1e-44;

void expect_close(const Literal& actual, const Literal& expected, const std::string& what) {
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (!is_float(expected.type().dtype)) {
      ASSERT_EQ(actual.as_integer(i), expected.as_integer(i)) << what << " element " << i;
      continue;
    }
    const double a = actual.as_double(i);
    const double b = expected.as_double(i);
    if ((std::isnan(a) && std::isnan(b)) || a == b) continue;
    const double tolerance = tolerance_of(expected.type().dtype) * std::abs(b) + kSmallest;
    ASSERT_NEAR(a, b, tolerance) << what << " " << i;
  }
}

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
    Literal x = random_values(
        c.dtype, c.rows * c.columns, static_cast<uint64_t>(c.rows * 1009 + c.columns), c.special);
    Literal expected(Type{c.result_dtype(), {c.results()}});
    Literal actual(expected.type());
    interpret_whole(k, {x.data(), expected.data()});

    emulated.run(k.kernel(), k.params(), std::vector<void*>{x.data(), actual.data()});

    expect_close(actual, expected, c.text());
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
    Literal x = random_values(DType::f32, kRows * length, 3, false);
    Literal expected(x.type());
    Literal actual(x.type());
    interpret_whole(k, {x.data(), expected.data()});

    emulated.run(k.kernel(), k.params(), std::vector<void*>{x.data(), actual.data()});

    expect_close(actual, expected, std::to_string(length));
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
  Literal x = random_values(DType::f32, kCount, 5, false);
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

    expect_close(actual, expected, std::to_string(size));
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
