// Guarded loads and stores: what they keep out is never touched, and what loads give there is zero.

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "kernel_builder.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

namespace wick::codegen::test {
namespace {

using ir::OpKind;

/// Positions below `bound` of a vector of `count` are read; `stride` 0 makes the address uniform.
std::vector<float> read_below(int64_t bound, int64_t count, int64_t stride) {
  const GuardedPages pages;
  auto* in = static_cast<float*>(pages.tail(static_cast<size_t>(bound) * sizeof(float)));
  for (int64_t i = 0; i < bound; ++i)
    in[i] = static_cast<float>(i + 1);
  KernelBuilder k("predicated");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(count));
  k.straight();
  const int position = k.index(k.at({1}));
  const int limit = k.constant(Literal::scalar_integer(DType::i64, bound));
  const int inside = k.compute(OpKind::lt, DType::bool_, {position, limit});
  k.store(1, k.at({1}), k.load(0, k.at({stride}), inside));
  std::vector<float> out(static_cast<size_t>(count), -1.0F);
  void* buffers[] = {in, out.data()};
  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, count);
  return out;
}

TEST(KernelGuards, PredicatedLoadsReadNothingElsewhereAndGiveZero) {
  for (const int64_t stride : {0, 1}) {
    for (const int64_t bound : {0, 1, 20, 33}) {
      const std::vector<float> out = read_below(bound, 77, stride);
      for (int64_t i = 0; i < 77; ++i) {
        const float value = stride == 0 ? 1.0F : static_cast<float>(i + 1);
        EXPECT_EQ(out[static_cast<size_t>(i)], i < bound ? value : 0.0F) << bound << " " << i;
      }
    }
  }
}

/// Position i of the result is element i - `low` of `size` ones, or 0 where there is none. The
/// bounds may be compared with themselves or with their neighbours, for a part of the loop or for
/// each lane.
std::vector<float> pad_ones(
    void* in, int64_t low, int64_t size, int64_t count, bool with_neighbours, bool by_lane) {
  KernelBuilder k("pad");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(count));
  k.straight();
  const int position = k.index(k.at({1}, -low));
  const int64_t before = with_neighbours ? 1 : 0;
  const int first = k.constant(Literal::scalar_integer(DType::i64, -before));
  const int limit = k.constant(Literal::scalar_integer(DType::i64, size - before));
  const OpKind after = with_neighbours ? OpKind::lt : OpKind::le;
  const OpKind up_to = with_neighbours ? OpKind::le : OpKind::lt;
  const int begins = k.compute(after, DType::bool_, {first, position});
  const int goes_on = k.compute(up_to, DType::bool_, {position, limit});
  const int inside = k.compute(OpKind::bit_and, DType::bool_, {begins, goes_on});
  k.store(1, k.at({1}), k.load(0, k.at({1}, -low), inside));
  std::vector<float> out(static_cast<size_t>(count), -1.0F);
  void* buffers[] = {in, out.data()};
  Kernel kernel = k.kernel();
  kernel.lane_guarded = by_lane;
  compile(kernel)(buffers, k.params().data(), 0, 1, 0, count);
  return out;
}

void expect_ones_padded(bool by_lane) {
  const GuardedPages pages;
  for (const int64_t size : {0, 1, 7, 8, 9, 31, 64, 200}) {
    const size_t bytes = static_cast<size_t>(size) * sizeof(float);
    for (void* in : {pages.head(), pages.tail(bytes)}) {
      std::fill_n(static_cast<float*>(in), size, 1.0F);
      for (const int64_t low : {-3, 0, 1, 6, 40, 300}) {
        for (const int64_t count : {1, 8, 45, 270}) {
          const std::vector<float> out = pad_ones(in, low, size, count, low % 2 == 0, by_lane);
          for (int64_t i = 0; i < count; ++i) {
            const float value = i >= low && i - low < size ? 1.0F : 0.0F;
            EXPECT_EQ(out[static_cast<size_t>(i)], value) << size << " " << low << " " << i;
          }
        }
      }
    }
  }
}

TEST(KernelGuards, LoopsAreCutWhereGuardsChange) {
  expect_ones_padded(false);
}

TEST(KernelGuards, LanesOfShortRowsHaveGuards) {
  expect_ones_padded(true);
}

constexpr size_t kBehind = 16;

/// Takes off what lies behind the rows, which is as it was.
std::vector<float> without_untouched_end(std::vector<float> out) {
  for (size_t i = out.size() - kBehind; i < out.size(); ++i)
    EXPECT_EQ(out[i], -1.0F) << i;
  out.resize(out.size() - kBehind);
  return out;
}

/// With guards of lanes, and rows that are walked without a loop.
Kernel with_bound_rows(Kernel kernel, int64_t columns) {
  kernel.lane_guarded = true;
  kernel.row_bound = (columns + kRowStep - 1) / kRowStep * kRowStep;
  return kernel;
}

/// A frame of so many zeros around [rows, columns], added to a row of one number for each column.
std::vector<float> frame(void* in, int64_t rows, int64_t columns, int64_t width, float* row) {
  const int64_t out_rows = rows + 2 * width;
  const int64_t out_columns = columns + 2 * width;
  KernelBuilder k("frame");
  k.buffer(DType::f32);
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.outer(out_rows);
  k.vector(k.outer(out_columns));
  k.straight();
  const int zero = k.constant(Literal::scalar_integer(DType::i64, 0));
  const auto is_within = [&](std::initializer_list<int64_t> strides, int64_t extent) {
    const int position = k.index(k.at(strides, -width));
    const int limit = k.index(k.at({0, 0}, extent));
    const int begins = k.compute(OpKind::le, DType::bool_, {zero, position});
    const int goes_on = k.compute(OpKind::lt, DType::bool_, {position, limit});
    return k.compute(OpKind::bit_and, DType::bool_, {begins, goes_on});
  };
  const int inside = k.compute(
      OpKind::bit_and, DType::bool_, {is_within({1, 0}, rows), is_within({0, 1}, columns)});
  const int value = k.load(0, k.at({columns, 1}, -width * columns - width), inside);
  const int sum = k.compute(OpKind::add, DType::f32, {value, k.load(1, k.at({0, 1}))});
  k.store(2, k.at({out_columns, 1}), sum);
  std::vector<float> out(static_cast<size_t>(out_rows * out_columns) + kBehind, -1.0F);
  void* buffers[] = {in, row, out.data()};
  const Kernel kernel = with_bound_rows(k.kernel(), out_columns);
  const KernelFunction run = compile(kernel);
  run(buffers, k.params().data(), 0, 2, 0, out_columns);
  // A part of the columns at a time does it as well.
  run(buffers, k.params().data(), 2, 3, 0, 7);
  EXPECT_EQ(out[static_cast<size_t>(2 * out_columns + 7)], -1.0F);
  run(buffers, k.params().data(), 2, 3, 7, out_columns);
  run(buffers, k.params().data(), 3, out_rows, 0, out_columns);
  return without_untouched_end(std::move(out));
}

TEST(KernelGuards, GuardsOfShortRowsAreFoundInFrontOfThem) {
  const GuardedPages pages;
  std::vector<float> row(256);
  std::iota(row.begin(), row.end(), 1.0F);
  for (const int64_t width : {1, 3}) {
    for (const int64_t columns : {8, 10, 13, 14, 15, 30, 31, 56, 90, 200}) {
      constexpr int64_t kRows = 5;
      const size_t bytes = static_cast<size_t>(kRows * columns) * sizeof(float);
      for (void* in : {pages.head(), pages.tail(bytes)}) {
        std::fill_n(static_cast<float*>(in), kRows * columns, 1000.0F);
        const std::vector<float> out = frame(in, kRows, columns, width, row.data());
        const int64_t out_columns = columns + 2 * width;
        for (int64_t i = 0; i < std::ssize(out); ++i) {
          const int64_t y = i / out_columns - width;
          const int64_t x = i % out_columns - width;
          const bool inside = y >= 0 && y < kRows && x >= 0 && x < columns;
          EXPECT_EQ(out[static_cast<size_t>(i)],
                    (inside ? 1000.0F : 0.0F) + row[static_cast<size_t>(x + width)])
              << width << " " << columns << " " << i;
        }
      }
    }
  }
}

constexpr int64_t kGuardedRows = 3;

/// Of rows of `columns`, from buffer 0 to buffer 1.
KernelBuilder rows_builder(const char* name, DType dtype, int64_t columns) {
  KernelBuilder k(name);
  k.buffer(dtype);
  k.buffer(dtype, true);
  k.outer(kGuardedRows);
  k.vector(k.outer(columns));
  k.straight();
  return k;
}

/// Ones, read in short rows where the guard says so; memory ends behind them.
std::vector<float> guarded_ones(int64_t columns, const std::function<int(KernelBuilder&)>& guard) {
  const GuardedPages pages;
  KernelBuilder k = rows_builder("guarded_ones", DType::f32, columns);
  k.store(1, k.at({columns, 1}), k.load(0, k.at({columns, 1}), guard(k)));
  const int64_t count = kGuardedRows * columns;
  auto* in = static_cast<float*>(pages.tail(static_cast<size_t>(count) * sizeof(float)));
  std::fill_n(in, count, 1.0F);
  std::vector<float> out(static_cast<size_t>(count) + kBehind, -1.0F);
  void* buffers[] = {in, out.data()};
  compile(with_bound_rows(k.kernel(), columns))(
      buffers, k.params().data(), 0, kGuardedRows, 0, columns);
  return without_untouched_end(std::move(out));
}

/// Whether the position with these strides is `first` or one behind it.
int is_from(KernelBuilder& k, std::initializer_list<int64_t> strides, int64_t first) {
  const int bound = k.constant(Literal::scalar_integer(DType::i64, first));
  return k.compute(OpKind::le, DType::bool_, {bound, k.index(k.at(strides))});
}

int is_before(KernelBuilder& k, std::initializer_list<int64_t> strides, int64_t end) {
  const int bound = k.constant(Literal::scalar_integer(DType::i64, end));
  return k.compute(OpKind::lt, DType::bool_, {k.index(k.at(strides)), bound});
}

int both(KernelBuilder& k, int left, int right) {
  return k.compute(OpKind::bit_and, DType::bool_, {left, right});
}

TEST(KernelGuards, GuardedShortRowsReadNothingBehindTheirEnds) {
  for (const int64_t columns : {9, 20, 40, 70}) {
    const std::vector<float> out = guarded_ones(columns, [](KernelBuilder& k) {
      return both(k, is_from(k, {1, 0}, 1), is_from(k, {0, 1}, 5));
    });
    for (int64_t i = 0; i < std::ssize(out); ++i) {
      const bool is_wanted = i >= columns && i % columns >= 5;
      EXPECT_EQ(out[static_cast<size_t>(i)], is_wanted ? 1.0F : 0.0F) << columns << " " << i;
    }
  }
}

TEST(KernelGuards, GuardedRowsThatAreUpdatedInPlaceAreUpdatedOnce) {
  for (const int64_t columns : {9, 20, 43}) {
    KernelBuilder k = rows_builder("in_place", DType::f32, columns);
    const int guarded = k.load(0, k.at({columns, 1}), is_from(k, {0, 1}, 5));
    const int before = k.load(1, k.at({columns, 1}));
    k.store(1, k.at({columns, 1}), k.compute(OpKind::add, DType::f32, {before, guarded}));
    std::vector<float> in(static_cast<size_t>(kGuardedRows * columns), 1.0F);
    std::vector<float> out(in.size(), 2.0F);
    void* buffers[] = {in.data(), out.data()};
    compile(with_bound_rows(k.kernel(), columns))(
        buffers, k.params().data(), 0, kGuardedRows, 0, columns);
    for (int64_t i = 0; i < std::ssize(out); ++i)
      EXPECT_EQ(out[static_cast<size_t>(i)], i % columns < 5 ? 2.0F : 3.0F) << columns << " " << i;
  }
}

/// Rows of `columns` that begin with the `kept` elements of the operand's row, the last one first,
/// and go on with zeros; memory ends on both sides of the operand.
template <typename T>
void expect_reversed(DType dtype, int64_t columns, int64_t kept, bool by_lane) {
  const GuardedPages pages;
  KernelBuilder k = rows_builder("reversed", dtype, columns);
  const int guard = is_before(k, {0, 1}, kept);
  k.store(1, k.at({columns, 1}), k.load(0, k.at({kept, -1}, kept - 1), guard));
  const int64_t count = kGuardedRows * kept;
  const KernelFunction run = compile(by_lane ? with_bound_rows(k.kernel(), columns) : k.kernel());
  for (void* place : {pages.head(), pages.tail(static_cast<size_t>(count) * sizeof(T))}) {
    auto* in = static_cast<T*>(place);
    std::iota(in, in + count, T{1});
    std::vector<T> out(static_cast<size_t>(kGuardedRows * columns), T{9});
    void* buffers[] = {in, out.data()};
    run(buffers, k.params().data(), 0, kGuardedRows, 0, columns);
    for (int64_t i = 0; i < std::ssize(out); ++i) {
      const int64_t column = i % columns;
      const T expected = column < kept ? in[(i / columns + 1) * kept - 1 - column] : T{0};
      EXPECT_EQ(out[static_cast<size_t>(i)], expected) << columns << " " << kept << " " << i;
    }
  }
}

TEST(KernelGuards, GuardedRowsThatLieBackwardsReadNothingElsewhere) {
  for (const bool by_lane : {true, false}) {
    for (const int64_t columns : {9, 16, 20, 43, 70}) {
      for (const int64_t kept : {1, 2, 7, 8}) {
        expect_reversed<float>(DType::f32, columns, kept, by_lane);
        expect_reversed<double>(DType::f64, columns, kept, by_lane);
        expect_reversed<int8_t>(DType::i8, columns, kept, by_lane);
      }
      expect_reversed<float>(DType::f32, columns, columns - 1, by_lane);
    }
  }
}

TEST(KernelGuards, ConditionsOfRowsAndColumnsMayBeMixed) {
  for (const int64_t columns : {9, 20, 40, 70}) {
    const std::vector<float> out = guarded_ones(columns, [&](KernelBuilder& k) {
      return both(k,
                  both(k, is_from(k, {1, 0}, 1), is_from(k, {0, 1}, 3)),
                  both(k, is_before(k, {0, 1}, columns - 2), is_before(k, {1, 0}, 2)));
    });
    for (int64_t i = 0; i < std::ssize(out); ++i) {
      const int64_t column = i % columns;
      const bool is_wanted = i / columns == 1 && column >= 3 && column < columns - 2;
      EXPECT_EQ(out[static_cast<size_t>(i)], is_wanted ? 1.0F : 0.0F) << columns << " " << i;
    }
  }
}

TEST(KernelGuards, PositionsThatAreMoreThanComparedStayVectors) {
  constexpr int64_t kCount = 77;
  constexpr int64_t kBound = 30;
  KernelBuilder k("gather_by_position");
  k.buffer(DType::f32);
  k.buffer(DType::f32, true);
  k.vector(k.outer(kCount));
  k.straight();
  const int position = k.index(k.at({1}));
  const int limit = k.constant(Literal::scalar_integer(DType::i64, kBound));
  const int inside = k.compute(OpKind::lt, DType::bool_, {position, limit});
  const int guarded = k.load(0, k.at({1}), inside);
  const int gathered = k.gather(0, k.at({0}), position, 1);
  k.store(1, k.at({1}), k.compute(OpKind::add, DType::f32, {guarded, gathered}));
  std::vector<float> in(kCount);
  std::iota(in.begin(), in.end(), 1.0F);
  std::vector<float> out(kCount);
  void* buffers[] = {in.data(), out.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, kCount);

  for (size_t i = 0; i < kCount; ++i)
    EXPECT_EQ(out[i], i < kBound ? 2 * in[i] : in[i]) << i;
}

TEST(KernelGuards, ChosenLoadsThatAreNotWantedGiveZero) {
  constexpr int64_t kCount = 77;
  const GuardedPages pages;
  void* const nothing = pages.tail(0);
  std::vector<float> ones(kCount, 1.0F);
  for (const bool first : {false, true}) {
    for (const bool wanted : {false, true}) {
      KernelBuilder k("choice");
      k.buffer(DType::f32);
      k.buffer(DType::f32);
      k.buffer(DType::f32, true);
      k.vector(k.outer(kCount));
      k.straight();
      const int zero = k.constant(Literal::scalar_integer(DType::i64, 0));
      const auto is_below_zero = [&](bool value) {
        return k.compute(OpKind::lt, DType::bool_, {k.index(k.at({0}, value ? -1 : 1)), zero});
      };
      const int from_first = is_below_zero(first);
      const int is_wanted = is_below_zero(wanted);
      const int a = k.load(0, k.at({1}), is_wanted);
      const int b = k.load(1, k.at({1}), is_wanted);
      k.store(2, k.at({1}), k.compute(OpKind::where, DType::f32, {from_first, a, b}));
      std::vector<float> out(kCount, -1.0F);
      void* const chosen = wanted ? ones.data() : nothing;
      void* buffers[] = {first ? chosen : nothing, first ? nothing : chosen, out.data()};

      compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, kCount);

      EXPECT_EQ(out, std::vector<float>(kCount, wanted ? 1.0F : 0.0F)) << first << wanted;
    }
  }
}

TEST(KernelGuards, PredicatedStoresWriteNothingElsewhere) {
  KernelBuilder k("predicated_store");
  k.buffer(DType::i32);
  k.buffer(DType::i32, true);
  k.vector(k.outer(40));
  k.straight();
  const int value = k.load(0, k.at({1}));
  const int zero = k.constant(Literal::scalar_integer(DType::i32, 0));
  k.store(1, k.at({1}), value, k.compute(OpKind::lt, DType::bool_, {zero, value}));
  std::vector<int32_t> in(40);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = i % 3 == 0 ? -5 : static_cast<int>(i);
  std::vector<int32_t> out(40, 7);
  void* buffers[] = {in.data(), out.data()};

  compile(k.kernel())(buffers, k.params().data(), 0, 1, 0, 40);

  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i % 3 == 0 ? 7 : static_cast<int>(i));
}

}  // namespace
}  // namespace wick::codegen::test
