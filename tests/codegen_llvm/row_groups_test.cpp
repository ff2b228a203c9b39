// Rows that share vectors, or are read from memory, which are reduced several at a time.

#include <algorithm>
#include <cstring>
#include <span>
#include <sstream>
#include <string>
#include <utility>
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
  bool shared = true;  // x has one row for all rows
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
  k.outer(c.rows);
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

/// Loads of the rest of a row, which has one copy.
int64_t count_masked_loads(const Kernel& kernel) {
  std::istringstream lines(llvm_compiler().llvm_ir(kernel));
  int64_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("= call") != std::string::npos &&
        line.find("@llvm.masked.load") != std::string::npos) {
      ++count;
    }
  }
  return count;
}

/// One load a row, of which so many are declared that they come from memory; or blocks of one row,
/// the last of which may be shorter.
struct PlainRows {
  OpKind op = OpKind::reduce_sum;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t size_of_block = 0;  // 0: rows are whole

  [[nodiscard]] DType result_dtype() const {
    return op == OpKind::argmax ? DType::i64 : DType::f32;
  }

  [[nodiscard]] int64_t tasks() const {
    return size_of_block == 0 ? rows : (columns + size_of_block - 1) / size_of_block;
  }

  [[nodiscard]] KernelBuilder kernel() const {
    constexpr int64_t kMany = int64_t{1} << 40;
    KernelBuilder k("plain");
    const int x = k.buffer(DType::f32);
    const int result = k.buffer(result_dtype(), true);
    if (size_of_block > 0) k.outer(kMany);  // in front of the blocks
    const int row = k.outer(size_of_block == 0 ? kMany : tasks());
    const int inner = k.inner(columns);
    k.vector(inner);
    if (size_of_block > 0) k.blocks(row, inner, size_of_block);
    const auto at = [&](int64_t of_row, int64_t of_column) {
      return size_of_block == 0 ? k.at({of_row == 0 ? 0 : columns, of_column})
                                : k.at({of_row == 0 ? 0 : columns, 0, of_column});
    };
    k.loop();
    std::vector<int> operands = {k.load(x, at(1, 1))};
    if (op == OpKind::argmax) operands.push_back(k.index(at(0, 1)));
    const int reduced = k.accumulate(op, result_dtype(), operands);
    k.straight();
    k.store(result, size_of_block == 0 ? k.at({1, 0}) : k.at({tasks(), 1, 0}), reduced);
    return k;
  }

  template <typename Function>
  [[nodiscard]] Literal run(const Function& function, int64_t piece) const {
    KernelBuilder k = kernel();
    Literal x = random_values(DType::f32, rows * columns, 5);
    Literal result(Type{result_dtype(), {tasks()}});
    void* buffers[] = {x.data(), result.data()};
    for (int64_t at = 0; at < tasks(); at += piece)
      function(buffers, k.params().data(), at, std::min(tasks(), at + piece), 0, 0);
    return result;
  }

  void expect_agreement() const {
    KernelBuilder k = kernel();
    ASSERT_EQ(verify(k.kernel()), std::nullopt);
    const std::string text = std::string(ir::to_string(op)) + " " + std::to_string(rows) + "x" +
                             std::to_string(columns) + " by " + std::to_string(size_of_block);
    const auto interpreted = [&](void* const* buffers, const int64_t* params, auto... range) {
      interpret(k.kernel(), buffers, params, range...);
    };
    const KernelFunction compiled = compile(k.kernel());
    const Literal together = run(compiled, tasks());
    expect_close(together, run(interpreted, tasks()), text);
    for (const int64_t piece : {1, 3, 5}) {
      const Literal in_pieces = run(compiled, piece);
      EXPECT_TRUE(std::ranges::equal(in_pieces.bytes(), together.bytes())) << text << ", " << piece;
    }
  }
};

TEST(RowGroups, OfPlainRowsGiveTheBitsOfSingleRows) {
  for (const OpKind op : kReductions) {
    for (const int64_t rows : {1, 4, 7, 8, 11}) {
      for (const int64_t columns : {1, 17, 64, 1003})
        PlainRows{.op = op, .rows = rows, .columns = columns}.expect_agreement();
    }
  }
}

TEST(RowGroups, OfBlocksGiveTheBitsOfSingleBlocks) {
  for (const OpKind op : kReductions) {
    for (const int64_t columns : {1, 100, 399, 400, 401, 1003}) {
      for (const int64_t size : {1, 50, 100, 101})
        PlainRows{.op = op, .columns = columns, .size_of_block = size}.expect_agreement();
    }
  }
}

/// Those of the rest of one row, and of four. Zen before the fifth has two sums sooner, and gains
/// nothing in maxima; four where each step waits for the one before, as in argmax, for which few
/// registers leave two rows.
TEST(RowGroups, OfPlainRowsReadSeveralAtOnce) {
  const auto loads_of = [](OpKind op, int64_t size_of_block) {
    const int64_t rows = size_of_block == 0 ? 8 : 1;
    const PlainRows plain{.op = op, .rows = rows, .columns = 800, .size_of_block = size_of_block};
    return count_masked_loads(plain.kernel().kernel());
  };
  const bool follows_one_stream = is_on_zen() && !is_on_zen5();
  for (const int64_t size_of_block : {0, 100}) {
    EXPECT_EQ(loads_of(OpKind::reduce_sum, size_of_block), follows_one_stream ? 1 + 2 : 1 + 4);
    EXPECT_EQ(loads_of(OpKind::reduce_max, size_of_block), follows_one_stream ? 1 : 1 + 4);
    EXPECT_GE(loads_of(OpKind::argmax, size_of_block), 1 + 2);
  }
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
void expect_stored_rows(int64_t columns) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  constexpr int64_t kRows = 4;
  constexpr size_t kLine = 16;  // floats
  KernelBuilder k("rows");
  const int x = k.buffer(DType::f32);
  const int y = k.buffer(DType::f32);
  const int products = k.buffer(DType::f32, true);
  const int sums = k.buffer(DType::f32, true);
  k.outer(kHuge);
  k.vector(k.inner(columns));
  k.loop();
  const int of_x = k.load(x, k.at({0, 1}));
  const int of_y = k.load(y, k.at({columns, 1}));
  const int product = k.compute(OpKind::mul, DType::f32, {of_x, of_y});
  k.store(products, k.at({columns, 1}), product);
  const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {product});
  k.straight();
  k.store(sums, k.at({1, 0}), sum);
  const KernelFunction function = compile(k.kernel());
  std::vector<float> two(static_cast<size_t>(columns), 2);
  std::vector<float> threes(static_cast<size_t>(kRows * columns), 3);
  for (size_t offset = 0; offset < kLine; ++offset) {
    std::vector<float> out(static_cast<size_t>(kRows * columns) + kLine);
    std::vector<float> sums_of_rows(kRows);
    void* buffers[] = {two.data(), threes.data(), out.data() + offset, sums_of_rows.data()};
    function(buffers, k.params().data(), 0, kRows, 0, 0);
    EXPECT_EQ(sums_of_rows, std::vector<float>(kRows, static_cast<float>(6 * columns))) << offset;
    EXPECT_EQ(std::count(out.begin(), out.end(), 6.0F), kRows * columns) << offset;
  }
}

TEST(RowGroups, StoreRowsThatBeginAnywhere) {
  for (const int64_t columns : {5001, 5008})
    expect_stored_rows(columns);
}

/// Two loops: sums[r] = the sum of x[r, c] * y[c], and columns[c] += x[r, c] in order; then
/// result[r, c] = x[r, c] * y[c] - sums[r]. `y` has a row for each of x where nothing is shared.
struct TwoLoops {
  int64_t rows;
  int64_t columns;
  bool shared = true;
  int64_t declared_rows = 0;
  bool adds_columns = false;  // to the result, as far as they have come

  [[nodiscard]] KernelBuilder kernel() const {
    KernelBuilder k("loops");
    const int x = k.buffer(DType::f32);
    const int y = k.buffer(DType::f32);
    const int of_columns = k.buffer(DType::f32, true);
    const int sums = k.buffer(DType::f32, true);
    const int result = k.buffer(DType::f32, true);
    k.outer(declared_rows > 0 ? declared_rows : rows);
    k.vector(k.inner(columns));
    const Affine own = k.at({columns, 1});
    const Affine common = k.at({0, 1});
    const auto product = [&] {
      const int of_x = k.load(x, own);
      return std::pair{
          of_x, k.compute(OpKind::mul, DType::f32, {of_x, k.load(y, shared ? common : own)})};
    };
    k.loop();
    const auto [of_x, first] = product();
    const int sum = k.accumulate(OpKind::reduce_sum, DType::f32, {first});
    const int row = k.index(k.at({1, 0}));
    const int before = k.gather(of_columns, common, row, 0);
    const int after = k.compute(OpKind::add, DType::f32, {before, of_x});
    k.store(of_columns, common, after);
    Instr& store = k.kernel().instrs.back();
    store.dynamic_index = row;
    store.dynamic_stride_param =
        k.kernel().instrs[static_cast<size_t>(before)].dynamic_stride_param;
    k.straight();
    k.store(sums, k.at({1, 0}), sum);
    k.loop();
    int value = k.compute(OpKind::sub, DType::f32, {product().second, sum});
    if (adds_columns) {
      const int so_far = k.gather(of_columns, common, row, 0);
      value = k.compute(OpKind::add, DType::f32, {value, so_far});
    }
    k.store(result, own, value);
    return k;
  }

  /// All that is written, by calls of so many rows each.
  [[nodiscard]] std::vector<std::vector<float>> run(int64_t piece) const {
    KernelBuilder k = kernel();
    const auto numbers = [](int64_t count, int seed) {
      const Literal values = random_values(DType::f32, count, seed);
      const std::span<const float> floats = values.values<float>();
      return std::vector<float>(floats.begin(), floats.end());
    };
    std::vector<float> x = numbers(rows * columns, 1);
    std::vector<float> y = numbers(rows * columns, 2);
    std::vector<std::vector<float>> written{
        std::vector<float>(static_cast<size_t>(columns)),
        std::vector<float>(static_cast<size_t>(rows)),
        std::vector<float>(static_cast<size_t>(rows * columns))};
    void* buffers[] = {x.data(), y.data(), written[0].data(), written[1].data(), written[2].data()};
    const KernelFunction function = compile(k.kernel());
    for (int64_t at = 0; at < rows; at += piece)
      function(buffers, k.params().data(), at, std::min(rows, at + piece), 0, 0);
    return written;
  }
};

/// Columns of odd numbers are not stored in turn, and few ones neither.
TEST(RowGroups, OfSeveralLoopsGiveTheBitsOfSingleRows) {
  for (const int64_t columns : {100, 1600, 2048, 2049, 4112}) {
    for (const int64_t declared : {0, 1000000}) {
      for (const bool adds_columns : {false, true}) {
        const TwoLoops loops{
            .rows = 7, .columns = columns, .declared_rows = declared, .adds_columns = adds_columns};
        const auto alone = loops.run(1);
        for (const int64_t piece : {2, 3, 7})
          EXPECT_EQ(loops.run(piece), alone) << columns << " columns, " << piece << " rows a call";
      }
    }
  }
}

TEST(RowGroups, OfSeveralLoopsReadWhatIsSharedOnce) {
  const auto loads_of_rest = [](bool shared) {
    const TwoLoops loops{.rows = 8, .columns = 2000, .shared = shared};
    return count_masked_loads(loops.kernel().kernel());
  };
  // The second loop has a masked begin too, before where lines do.
  const int of_one = 3 + 2 * 2;
  const int of_two = 5 + 2 * 3;
  EXPECT_EQ(loads_of_rest(false), of_one);
  // With vectors of half a line, rows that add to stored columns do not take turns.
  EXPECT_EQ(loads_of_rest(true), has_avx512() ? of_one + of_two : of_one);
}

/// Those of one row, and of four with one shared.
TEST(RowGroups, ReadWhatIsSharedOnce) {
  const auto loads_of_rest = [](bool shared) {
    return count_masked_loads(kernel_of({.rows = 8, .columns = 100, .shared = shared}).kernel());
  };
  EXPECT_EQ(loads_of_rest(false), 2);
  EXPECT_EQ(loads_of_rest(true), 2 + (1 + 4));
}

}  // namespace
}  // namespace wick::codegen::test
