#pragma once

// Reductions of a matrix along its contiguous or its strided axis, as tests of code generators run
// them.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {

inline constexpr ir::OpKind kReductions[] = {ir::OpKind::reduce_sum,
                                             ir::OpKind::reduce_prod,
                                             ir::OpKind::reduce_max,
                                             ir::OpKind::reduce_min,
                                             ir::OpKind::argmax};

/// Few distinct values, so that arg reductions meet ties; a NaN among floats where `special`.
inline Literal random_values(DType dtype, int64_t count, uint64_t seed, bool special = false) {
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
  ir::OpKind op = ir::OpKind::reduce_sum;
  DType dtype = DType::f32;
  int64_t rows = 1;
  int64_t columns = 1;
  bool along_columns = true;  // one result a row
  bool special = false;
  int column_vectors = 0;

  [[nodiscard]] int64_t results() const { return along_columns ? rows : columns; }

  [[nodiscard]] DType result_dtype() const { return op == ir::OpKind::argmax ? DType::i64 : dtype; }

  [[nodiscard]] std::string text() const {
    return std::string(ir::to_string(op)) + " " + std::string(to_string(dtype)) + " " +
           std::to_string(rows) + "x" + std::to_string(columns) +
           (along_columns ? " rows" : " columns");
  }

  [[nodiscard]] Literal values() const {
    return random_values(
        dtype, rows * columns, static_cast<uint64_t>(rows * 1009 + columns), special);
  }
};

inline KernelBuilder kernel_of(const ReductionCase& c) {
  KernelBuilder k("reduction");
  const int x = k.buffer(c.dtype);
  const int y = k.buffer(c.result_dtype(), true);
  const int outer = k.outer(c.results());
  const int inner = k.inner(c.along_columns ? c.columns : c.rows);
  k.vector(c.along_columns ? inner : outer);
  k.kernel().column_vectors = c.column_vectors;
  k.loop();
  const int value = k.load(x, c.along_columns ? k.at({c.columns, 1}) : k.at({1, c.columns}));
  std::vector<int> operands = {value};
  if (c.op == ir::OpKind::argmax) operands.push_back(k.index(k.at({0, 1})));
  const int reduced = k.accumulate(c.op, c.result_dtype(), operands);
  k.straight();
  k.store(y, k.at({1, 0}), reduced);
  return k;
}

/// At most 1000 terms of one sign, each rounded to 24 bits; half types are rounded once more.
inline double tolerance_of(DType dtype) {
  return dtype == DType::f64   ? 1e-12
         : dtype == DType::f32 ? 3e-5
         : dtype == DType::f16 ? 1e-3
                               : 8e-3;
}

/// Floats to the tolerance of their dtype and `smallest` more.
inline void expect_close(const Literal& actual,
                         const Literal& expected,
                         const std::string& what,
                         double smallest = 0) {
  for (int64_t i = 0; i < expected.numel(); ++i) {
    if (!is_float(expected.type().dtype)) {
      ASSERT_EQ(actual.as_integer(i), expected.as_integer(i)) << what << " element " << i;
      continue;
    }
    const double a = actual.as_double(i);
    const double b = expected.as_double(i);
    if ((std::isnan(a) && std::isnan(b)) || a == b) continue;
    const double tolerance = tolerance_of(expected.type().dtype) * std::abs(b) + smallest;
    ASSERT_NEAR(a, b, tolerance) << what << " element " << i;
  }
}

}  // namespace wick::codegen::test
