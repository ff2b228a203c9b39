#pragma once

// Values on which the rules of elementwise ops change, and how near results have to be.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/all_dtypes.h"
#include <gtest/gtest.h>

#include "wick/ir/literal.h"
#include "wick/ir/op.h"

namespace wick::codegen::test {

using ir::OpKind;

/// An array of one dtype, appended to by value.
struct Column {
  explicit Column(DType the_dtype) : dtype(the_dtype) {}

  void push(const Literal& value) {
    bytes.insert(bytes.end(), value.bytes().begin(), value.bytes().end());
  }

  void push(double value) { push(Literal::scalar(dtype, value)); }

  void push_integer(int64_t value) { push(Literal::scalar_integer(dtype, value)); }

  [[nodiscard]] Literal at(size_t i) const {
    const size_t size = size_of(dtype);
    return {Type{dtype, {}}, std::span(bytes).subspan(i * size, size)};
  }

  [[nodiscard]] size_t count() const { return bytes.size() / size_of(dtype); }

  DType dtype;
  std::vector<std::byte> bytes;
};

inline Column edge_values(DType dtype) {
  Column column(dtype);
  if (dtype == DType::bool_) {
    column.push_integer(0);
    column.push_integer(1);
    return column;
  }
  if (is_integer(dtype)) {
    const int bits = static_cast<int>(size_of(dtype) * 8);
    const int64_t high =
        dtype == DType::u8 ? 255 : static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
    for (const int64_t v : {0, 1, 2, 3, 5, 7, 8, 15, 31, 63, 64, 100}) {
      column.push_integer(v);
      column.push_integer(dtype == DType::u8 ? high - v : -v);
      column.push_integer(high - v / 2);
      if (dtype != DType::u8) column.push_integer(-high - 1 + v);
    }
    return column;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double v :
       {0.0,          0.25,         0.5,    1.0,   1.5,   2.0,    2.5,   3.0,      7.25,   10.0,
        31.0,         88.0,         89.5,   100.0, 104.0, 0.1,    1e-3,  1e-7,     6e-8,   1e-20,
        1e-38,        5e-39,        1e-45,  127.0, 128.5, 255.0,  256.5, 32767.,   65504., 70000.,
        2147483647.0, 2147483648.0, 9.3e18, 1e10,  1e30,  3.4e38, 1e300, kInfinity}) {
    column.push(v);
    column.push(-v);
  }
  column.push(std::nan(""));
  return column;
}

inline void append_random(Column& column, std::mt19937_64& generator, int count) {
  std::normal_distribution<double> reals(0, 10);
  for (int i = 0; i < count; ++i) {
    if (is_float(column.dtype)) {
      column.push(reals(generator));
    } else {
      column.push_integer(static_cast<int64_t>(generator()) >> (generator() % 64));
    }
  }
}

/// Allowed distance from the interpreter, in units of the last place of `dtype`: functions within
/// 2 ulp; f16 and bf16 round that once more.
inline double tolerance_of(OpKind op, DType dtype) {
  if (!ir::has(op, ir::kCostly)) return 0;
  return dtype == DType::f32 ? 2.01 : 1.01;
}

inline double last_place(double value, DType dtype) {
  const int digits = dtype == DType::f32   ? 24
                     : dtype == DType::f64 ? 53
                     : dtype == DType::f16 ? 11
                                           : 8;
  const int lowest = dtype == DType::f64    ? -1074
                     : dtype == DType::f16  ? -24
                     : dtype == DType::bf16 ? -133
                                            : -149;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent - digits, lowest));
}

inline bool agree(const Literal& actual, const Literal& expected, double tolerance) {
  const DType dtype = expected.type().dtype;
  if (!is_float(dtype)) return actual.as_integer(0) == expected.as_integer(0);
  const double a = actual.as_double(0);
  const double b = expected.as_double(0);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return std::signbit(a) == std::signbit(b);
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::abs(a - b) <= tolerance * last_place(b, dtype);
}

/// Fails for the first places where results are further apart than tolerance_of allows.
inline void expect_columns_agree(OpKind op,
                                 const std::vector<Column>& operands,
                                 const Column& actual,
                                 const Column& expected) {
  const DType result = expected.dtype;
  const double tolerance = tolerance_of(op, result);
  int failures = 0;
  for (size_t i = 0; i < expected.count() && failures < 5; ++i) {
    if (agree(actual.at(i), expected.at(i), tolerance)) continue;
    ++failures;
    std::string inputs;
    for (const Column& column : operands) {
      inputs += ' ';
      inputs += std::to_string(column.at(i).as_double(0));
    }
    ADD_FAILURE() << ir::to_string(op) << " " << to_string(operands.back().dtype) << " ->"
                  << to_string(result) << inputs << ": " << actual.at(i).as_double(0)
                  << " instead of " << expected.at(i).as_double(0);
  }
}

inline bool accepts(OpKind op, DType dtype) {
  if (ir::has(op, ir::kFloatOnly)) return is_float(dtype);
  if (ir::has(op, ir::kBoolOnly)) return dtype == DType::bool_;
  if (ir::has(op, ir::kIntegerOnly)) return is_integer(dtype);
  if (ir::has(op, ir::kNoFloat)) return !is_float(dtype);
  return true;
}

/// Columns of every operand: edge cases and random values, for ops of two operands in all pairs.
inline std::vector<Column> operands_of(OpKind op, DType dtype, std::mt19937_64& generator) {
  Column values = edge_values(dtype);
  append_random(values, generator, 30);
  std::vector<Column> operands;
  if (ir::op_info(op).min_operands == 1) {
    operands.push_back(values);
  } else {
    // All pairs.
    operands = {Column(dtype), Column(dtype)};
    for (size_t i = 0; i < values.count(); ++i) {
      for (size_t j = 0; j < values.count(); ++j) {
        operands[0].push(values.at(i));
        operands[1].push(values.at(j));
      }
    }
  }
  if (op == OpKind::where) {
    Column condition(DType::bool_);
    for (size_t i = 0; i < operands[0].count(); ++i)
      condition.push_integer(generator() & 1);
    operands.insert(operands.begin(), condition);
  }
  return operands;
}

inline bool compares(OpKind op) {
  return op == OpKind::eq || op == OpKind::ne || op == OpKind::lt || op == OpKind::le;
}

inline std::vector<int> elementwise_ops() {
  std::vector<int> ops;
  for (int i = 0; i < ir::kNumOps; ++i) {
    const auto op = static_cast<OpKind>(i);
    if (op == OpKind::cast || op == OpKind::bitcast) continue;  // instructions of their own
    if (ir::has(op, ir::kElementwise)) ops.push_back(i);
  }
  return ops;
}

}  // namespace wick::codegen::test
