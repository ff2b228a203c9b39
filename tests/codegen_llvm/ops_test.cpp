// Every elementwise op in every dtype against the kernel interpreter, on values where rules change.

#include <cmath>
#include <limits>
#include <random>

#include "kernel_builder.h"
#include <gtest/gtest.h>

#include "wick/ir/hash.h"

namespace wick::codegen::test {
namespace {

using ir::OpKind;

constexpr DType kAllDTypes[] = {DType::f32,
                                DType::f64,
                                DType::f16,
                                DType::bf16,
                                DType::i8,
                                DType::i16,
                                DType::i32,
                                DType::i64,
                                DType::u8,
                                DType::bool_};

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

Column edge_values(DType dtype) {
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

void append_random(Column& column, std::mt19937_64& generator, int count) {
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
double tolerance_of(OpKind op, DType dtype) {
  if (!ir::has(op, ir::kCostly)) return 0;
  return dtype == DType::f32 ? 2.01 : 1.01;
}

double last_place(double value, DType dtype) {
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

bool agree(const Literal& actual, const Literal& expected, double tolerance) {
  const DType dtype = expected.type().dtype;
  if (!is_float(dtype)) return actual.as_integer(0) == expected.as_integer(0);
  const double a = actual.as_double(0);
  const double b = expected.as_double(0);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return std::signbit(a) == std::signbit(b);
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::abs(a - b) <= tolerance * last_place(b, dtype);
}

/// Runs the op on the columns with compiled code and with the interpreter.
void expect_op_agrees(OpKind op, const std::vector<Column>& operands, DType result) {
  const auto count = static_cast<int64_t>(operands[0].count());
  std::vector<DType> dtypes;
  for (const Column& column : operands)
    dtypes.push_back(column.dtype);
  KernelBuilder k = elementwise(op, dtypes, result, count);
  ASSERT_EQ(verify(k.kernel()), std::nullopt);
  std::vector<void*> buffers;
  for (const Column& column : operands) {
    buffers.push_back(const_cast<std::byte*>(column.bytes.data()));
  }
  Column expected(result);
  Column actual(result);
  expected.bytes.resize(static_cast<size_t>(count) * size_of(result));
  actual.bytes.resize(expected.bytes.size());
  buffers.push_back(expected.bytes.data());
  interpret(k.kernel(), buffers.data(), k.params().data(), 0, 1, 0, count);
  buffers.back() = actual.bytes.data();

  compile(k.kernel())(buffers.data(), k.params().data(), 0, 1, 0, count);

  const double tolerance = tolerance_of(op, result);
  int failures = 0;
  for (size_t i = 0; i < static_cast<size_t>(count) && failures < 5; ++i) {
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

bool accepts(OpKind op, DType dtype) {
  if (ir::has(op, ir::kFloatOnly)) return is_float(dtype);
  if (ir::has(op, ir::kBoolOnly)) return dtype == DType::bool_;
  if (ir::has(op, ir::kIntegerOnly)) return is_integer(dtype);
  if (ir::has(op, ir::kNoFloat)) return !is_float(dtype);
  return true;
}

bool compares(OpKind op) {
  return op == OpKind::eq || op == OpKind::ne || op == OpKind::lt || op == OpKind::le;
}

class Ops : public testing::TestWithParam<int> {};

TEST_P(Ops, AgreeWithTheInterpreterInEveryDType) {
  const auto op = static_cast<OpKind>(GetParam());
  std::mt19937_64 generator(7);
  for (const DType dtype : kAllDTypes) {
    if (!accepts(op, dtype)) continue;
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
    expect_op_agrees(op, operands, compares(op) ? DType::bool_ : dtype);
  }
}

std::vector<int> elementwise_ops() {
  std::vector<int> ops;
  for (int i = 0; i < ir::kNumOps; ++i) {
    const auto op = static_cast<OpKind>(i);
    if (op == OpKind::cast || op == OpKind::bitcast) continue;  // instructions of their own
    if (ir::has(op, ir::kElementwise)) ops.push_back(i);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(All,
                         Ops,
                         testing::ValuesIn(elementwise_ops()),
                         [](const testing::TestParamInfo<int>& info) {
                           return std::string(ir::to_string(static_cast<OpKind>(info.param)));
                         });

TEST(Casts, AgreeWithTheInterpreterBetweenAllDTypes) {
  std::mt19937_64 generator(11);
  for (const DType from : kAllDTypes) {
    Column values = edge_values(from);
    append_random(values, generator, 100);
    for (const DType to : kAllDTypes) {
      expect_op_agrees(OpKind::cast, {values}, to);
    }
  }
}

/// random_bits of elements `first`, `first` + 1, ...
void expect_random_bits_agree(int64_t first) {
  KernelBuilder k("random");
  const int key = k.buffer(DType::i64);
  const int out = k.buffer(DType::i32, true);
  constexpr int64_t kCount = 333;
  k.vector(k.outer(kCount));
  k.straight();
  const int key_value = k.load(key, k.at({0}));
  const int offset = k.load(key, k.at({0}, 1));
  k.store(out, k.at({1}), k.random_bits(key_value, offset, k.index(k.at({1}, first))));
  int64_t keys[] = {0x123456789ABCDEF0, 0xFFFFFFF0};
  std::vector<int32_t> expected(kCount);
  std::vector<int32_t> actual(kCount);
  void* buffers[] = {keys, expected.data()};
  interpret(k.kernel(), buffers, k.params().data(), 0, 1, 0, kCount);
  buffers[1] = actual.data();

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, kCount);

  EXPECT_EQ(actual, expected) << first;
}

TEST(RandomBits, AgreeWithTheInterpreterAtAnyElement) {
  for (const int64_t first : {0, 1, 16, 64, 77, 128})
    expect_random_bits_agree(first);
}

}  // namespace
}  // namespace wick::codegen::test
