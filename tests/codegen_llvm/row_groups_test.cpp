// Rows that share vectors, which are reduced several at a time.

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "kernel_builder.h"
#include "reduction_case.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

struct GroupCase {
  OpKind op = OpKind::reduce_sum;
  DType dtype = DType::f32;
  int64_t others = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  bool shared = true;         // x has one row for all rows
  int64_t declared_rows = 0;  // of which `rows` are there; 0: all of them
};

/// result[o, r] = rows_weight[r] * reduction over c of x[o, c] * y[r, c], x of the next row where
/// nothing is shared. The columns are two dimensions, 3 by a third of them, where that is whole.
KernelBuilder kernel_of(const GroupCase& c) {
  const bool nested = c.columns % 3 == 0;
  const int64_t last = nested ? c.columns / 3 : c.columns;
  const bool is_arg = c.op == OpKind::argmax;
  KernelBuilder k("groups");
  const int x = k.buffer(c.dtype);
  const int y = k.buffer(c.dtype);
  const int weights = k.buffer(c.dtype);
  const int result = k.buffer(is_arg ? DType::i64 : c.dtype, true);
  k.outer(c.others);
  k.outer(c.declared_rows > 0 ? c.declared_rows : c.rows);
  if (nested) k.inner(3);
  k.vector(k.inner(last));
  const auto at = [&](int64_t other, int64_t row, int64_t column) {
    return nested ? k.at({other, row, last * column, column}) : k.at({other, row, column});
  };
  k.straight();
  const int weight = k.load(weights, at(0, 1, 0));
  k.loop();
  const int of_x = k.load(x, at(c.columns, c.shared ? 0 : c.columns, 1));
  const int of_y = k.load(y, at(0, c.columns, 1));
  std::vector<int> operands = {k.compute(OpKind::mul, c.dtype, {of_x, of_y})};
  if (is_arg) operands.push_back(k.index(at(0, 0, 1)));
  const int reduced = k.accumulate(c.op, is_arg ? DType::i64 : c.dtype, operands);
  k.straight();
  const int value = is_arg ? reduced : k.compute(OpKind::add, c.dtype, {reduced, weight});
  k.store(result, at(c.rows, 1, 0), value);
  return k;
}

struct Operands {
  Literal x;
  Literal y;
  Literal weights;

  explicit Operands(const GroupCase& c)
      : x(random_values(c.dtype, (c.others + c.rows) * c.columns, 1)),
        y(random_values(c.dtype, c.rows * c.columns, 2)),
        weights(random_values(c.dtype, c.rows, 3)) {}

  std::vector<void*> with(Literal& result) {
    return {x.data(), y.data(), weights.data(), result.data()};
  }
};

Literal result_of(const GroupCase& c) {
  const DType dtype = c.op == OpKind::argmax ? DType::i64 : c.dtype;
  return Literal(Type{dtype, {c.others * c.rows}});
}

void expect_agreement(const GroupCase& c) {
  KernelBuilder k = kernel_of(c);
  ASSERT_EQ(verify(k.kernel()), std::nullopt);
  Operands operands(c);
  Literal expected = result_of(c);
  Literal actual = result_of(c);
  const int64_t tasks = c.others * c.rows;
  interpret(k.kernel(), operands.with(expected).data(), k.params().data(), 0, tasks, 0, 0);
  compile(k.kernel())(operands.with(actual).data(), k.params().data(), 0, tasks, 0, 0);
  expect_close(actual,
               expected,
               std::string(ir::to_string(c.op)) + " " + std::string(to_string(c.dtype)) + " " +
                   std::to_string(c.others) + "x" + std::to_string(c.rows) + "x" +
                   std::to_string(c.columns));
}

TEST(RowGroups, AgreeInAnyShape) {
  for (int64_t rows = 1; rows <= 9; ++rows) {
    for (const int64_t columns : {1, 7, 16, 17, 48, 65, 127, 1000, 1001})
      expect_agreement({.others = 3, .rows = rows, .columns = columns});
  }
}

TEST(RowGroups, AgreeInEveryReductionAndDType) {
  for (const OpKind op : kReductions) {
    for (int d = 0; d < kNumDTypes; ++d) {
      if (static_cast<DType>(d) == DType::bool_) continue;
      expect_agreement(
          {.op = op, .dtype = static_cast<DType>(d), .others = 2, .rows = 6, .columns = 77});
    }
  }
}

std::vector<float> run_in_pieces(const GroupCase& c, int64_t piece) {
  KernelBuilder k = kernel_of(c);
  Operands operands(c);
  Literal result = result_of(c);
  const KernelFunction function = compile(k.kernel());
  const int64_t tasks = c.others * c.rows;
  for (int64_t at = 0; at < tasks; at += piece) {
    function(
        operands.with(result).data(), k.params().data(), at, std::min(tasks, at + piece), 0, 0);
  }
  std::vector<float> values(static_cast<size_t>(tasks));
  std::memcpy(values.data(), result.data(), values.size() * sizeof(float));
  return values;
}

TEST(RowGroups, GiveTheSameBitsHoweverTasksAreCut) {
  const GroupCase c{.others = 5, .rows = 7, .columns = 1003};
  const std::vector<float> whole = run_in_pieces(c, c.others * c.rows);
  for (const int64_t piece : {1, 2, 3, 4, 5, 9, 30})
    EXPECT_EQ(run_in_pieces(c, piece), whole) << piece;
}

/// Of so many rows that they are taken one by one.
TEST(RowGroups, GiveTheBitsOfSingleRows) {
  const GroupCase some{.others = 1, .rows = 7, .columns = 1003};
  GroupCase of_many = some;
  of_many.declared_rows = 1000000;
  EXPECT_EQ(run_in_pieces(some, some.rows), run_in_pieces(of_many, some.rows));
}

TEST(RowGroups, DoNothingForNoTask) {
  const GroupCase c{.others = 2, .rows = 3, .columns = 5};
  KernelBuilder k = kernel_of(c);
  Operands operands(c);
  Literal result = result_of(c);
  const std::vector<std::byte> before(result.bytes().begin(), result.bytes().end());
  const KernelFunction function = compile(k.kernel());
  for (const int64_t at : {0, 1, 3, 6})
    function(operands.with(result).data(), k.params().data(), at, at, 0, 0);
  EXPECT_EQ(std::vector<std::byte>(result.bytes().begin(), result.bytes().end()), before);
}

/// What the loop stores past the caches goes by lines, and rows of odd lengths begin in different
/// places of theirs.
TEST(RowGroups, StoreRowsThatBeginAnywhere) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kColumns = 5001;
  constexpr int64_t kRows = 4;
  constexpr size_t kLine = 16;  // floats
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32);
  const int products = k.buffer(DType::f32, true);
  const int sums = k.buffer(DType::f32, true);
  k.outer(kHuge);
  k.vector(k.inner(kColumns));
  k.loop();
  const int of_x = k.load(x, k.at({0, 1}));
  const int of_y = k.load(y, k.at({kColumns, 1}));
  const int product = k.compute(OpKind::mul, DType::f32, {of_x, of_y});
  k.store(products, k.at({kColumns, 1}), product);
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {product});
  k.straight();
  k.store(sums, k.at({1, 0}), sum);
  const KernelFunction function = compile(k.kernel());
  std::vector<float> two(kColumns, 2);
  std::vector<float> threes(kRows * kColumns, 3);
  for (size_t offset = 0; offset < kLine; ++offset) {
    std::vector<float> out(kRows * kColumns + kLine);
    std::vector<float> sums_of_rows(kRows);
    void* buffers[] = {two.data(), threes.data(), out.data() + offset, sums_of_rows.data()};
    function(buffers, k.params().data(), 0, kRows, 0, 0);
    EXPECT_EQ(sums_of_rows, std::vector<float>(kRows, 6 * kColumns)) << offset;
    EXPECT_EQ(std::count(out.begin(), out.end(), 6.0F), kRows * kColumns) << offset;
  }
}

/// Loads of the rest of a row, which has one copy: those of one row, and of four with one shared.
TEST(RowGroups, ReadWhatIsSharedOnce) {
  const auto loads_of_rest = [](bool shared) {
    KernelBuilder k = kernel_of({.rows = 8, .columns = 100, .shared = shared});
    std::istringstream lines(llvm_compiler().llvm_ir(k.kernel()));
    int64_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find("= call") != std::string::npos &&
          line.find("@llvm.masked.load") != std::string::npos) {
        ++count;
      }
    }
    return count;
  };
  EXPECT_EQ(loads_of_rest(false), 2);
  EXPECT_EQ(loads_of_rest(true), 2 + (1 + 4));
}

}  // namespace
}  // namespace wick::codegen::test
