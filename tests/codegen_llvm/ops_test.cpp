// Every elementwise op in every dtype against the kernel interpreter, on values where rules change.

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "codegen/op_values.h"
#include "kernel_builder.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

/// Runs the kernel with the interpreter and with compiled code, whose results follow the operands.
void run_both(
    KernelBuilder& k, std::vector<void*> buffers, int64_t count, void* expected, void* actual) {
  buffers.push_back(expected);
  interpret(k.kernel(), buffers.data(), k.params().data(), 0, 1, 0, count);
  buffers.back() = actual;
  compile(k.kernel())(buffers.data(), k.params().data(), 0, 1, 0, count);
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

  run_both(k, std::move(buffers), count, expected.bytes.data(), actual.bytes.data());

  expect_columns_agree(op, operands, actual, expected);
}

class Ops : public testing::TestWithParam<int> {};

TEST_P(Ops, AgreeWithTheInterpreterInEveryDType) {
  const auto op = static_cast<OpKind>(GetParam());
  std::mt19937_64 generator(7);
  for (const DType dtype : kAllDTypes) {
    if (!accepts(op, dtype)) continue;
    const std::vector<Column> operands = operands_of(op, dtype, generator);
    expect_op_agrees(op, operands, compares(op) ? DType::bool_ : dtype);
  }
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

/// One condition compared with those of many elements, where a mask lets them pass.
void expect_masked_comparison_agrees(OpKind op, bool one_is_left) {
  constexpr int64_t kCount = 141;
  KernelBuilder k("masked_comparison");
  const int one = k.buffer(DType::bool_);
  const int many = k.buffer(DType::bool_);
  const int mask = k.buffer(DType::bool_);
  const int out = k.buffer(DType::bool_, true);
  k.vector(k.outer(kCount));
  k.straight();
  std::vector<int> operands = {k.load(one, k.at({0})), k.load(many, k.at({1}))};
  if (!one_is_left) std::ranges::reverse(operands);
  const int compared = k.compute(op, DType::bool_, operands);
  const int passed = k.compute(OpKind::bit_and, DType::bool_, {compared, k.load(mask, k.at({1}))});
  k.store(out, k.at({1}), passed);
  std::vector<uint8_t> values(kCount);
  std::vector<uint8_t> masks(kCount);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 2;
    masks[i] = i / 2 % 2;
  }
  for (uint8_t condition : {0, 1}) {
    std::vector<uint8_t> expected(kCount, 2);
    std::vector<uint8_t> actual(kCount, 2);
    run_both(k, {&condition, values.data(), masks.data()}, kCount, expected.data(), actual.data());
    EXPECT_EQ(actual, expected) << ir::to_string(op) << " " << one_is_left << " " << condition;
  }
}

/// LLVM 19 never ends to rewrite such code for AVX2 when it sees a comparison.
TEST(BoolComparisons, OfOneWithManyUnderAMaskAreCompiled) {
  for (const OpKind op : {OpKind::eq, OpKind::ne, OpKind::lt, OpKind::le}) {
    for (const bool one_is_left : {true, false})
      expect_masked_comparison_agrees(op, one_is_left);
  }
}

/// random_bits of elements `first`, `first` + 1, ...
void expect_random_bits_agree(int64_t first) {
  KernelBuilder k("random");
  const int key = k.buffer(DType::i64);
  const int out = k.buffer(DType::i32, true);
  constexpr int64_t kCount = 349;
  k.vector(k.outer(kCount));
  k.straight();
  const int key_value = k.load(key, k.at({0}));
  const int offset = k.load(key, k.at({0}, 1));
  k.store(out, k.at({1}), k.random_bits(key_value, offset, k.index(k.at({1}, first))));
  int64_t keys[] = {0x123456789ABCDEF0, 0xFFFFFFF0};
  std::vector<int32_t> expected(kCount);
  std::vector<int32_t> actual(kCount);

  run_both(k, {keys}, kCount, expected.data(), actual.data());

  EXPECT_EQ(actual, expected) << first;
}

TEST(RandomBits, AgreeWithTheInterpreterAtAnyElement) {
  for (const int64_t first : {0, 1, 16, 32, 64, 77, 96, 128})
    expect_random_bits_agree(first);
}

}  // namespace
}  // namespace wick::codegen::test
