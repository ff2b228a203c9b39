// Scatter by hand-written kernels.

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime_cuda/native_case.h"
#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

using ir::OpKind;

constexpr const char* kModes[] = {"add", "mul", "max", "min", "set"};

struct Rows {
  Shape x;
  int64_t axis = 0;
  Shape indices;
  double hot = 0;  // this part of the updates goes to one row
};

/// Some below and some beyond the axis.
Literal indices_for(const Rows& rows, DType dtype) {
  const int64_t extent = rows.x[static_cast<int>(rows.axis)];
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int64_t> row(-1, extent);
  std::bernoulli_distribution is_hot(rows.hot);
  Literal indices(Type{dtype, rows.indices});
  for (int64_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = is_hot(random) ? extent / 2 : row(random);
    constexpr int64_t kFarOut = -(int64_t{1} << 32);  // 0 to who looks at 32 bits alone
    if (dtype == DType::i64)
      indices.mutable_values<int64_t>()[static_cast<size_t>(i)] = index < 0 ? kFarOut : index;
    if (dtype == DType::i32)
      indices.mutable_values<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(index);
  }
  return indices;
}

Shape updates_shape(const Rows& rows) {
  std::vector<int64_t> extents;
  for (int d = 0; d < rows.x.ndim(); ++d) {
    if (d == rows.axis) {
      extents.insert(extents.end(), rows.indices.begin(), rows.indices.end());
    } else {
      extents.push_back(rows.x[d]);
    }
  }
  return Shape(extents);
}

using Numbers = Literal (*)(const Type&, uint64_t);

NativeCase scatter(const Rows& rows,
                   const std::string& mode,
                   DType dtype,
                   Numbers numbers = plain_numbers,
                   DType index = DType::i64) {
  return {OpKind::scatter,
          {{"axis", rows.axis}, {"mode", mode}},
          {numbers({dtype, rows.x}, 1),
           indices_for(rows, index),
           numbers({dtype, updates_shape(rows)}, 2)}};
}

/// Sums are rounded once, in halves; else as often as there are updates.
constexpr FloatTolerance kScatterTolerance{.f64 = 1e-14, .f32 = 2e-6, .f16 = 6e-4, .bf16 = 4.5e-3};

const Rows kRows[] = {{{5, 3}, 0, {7}},
                      {{2, 5, 3}, 1, {4, 2}},
                      {{4, 6}, 1, {9}},
                      {{1}, 0, {5}},
                      {{50}, 0, {1}},
                      {{17, 1}, 0, {301}},
                      {{3, 8, 5}, 1, {200}, 0.9},
                      {{300, 7}, 0, {11}}};

TEST(NativeScatter, EveryModeAddsUpdatesInTheirOrder) {
  for (const char* mode : kModes) {
    for (const DType dtype : {DType::f32, DType::i32}) {
      for (const Rows& rows : kRows)
        expect_as_interpreted(scatter(rows, mode, dtype), kScatterTolerance.of(dtype));
    }
  }
}

TEST(NativeScatter, EveryDType) {
  for (const DType dtype : kAllDTypes) {
    for (const Rows& rows : kRows)
      expect_as_interpreted(scatter(rows, "add", dtype), kScatterTolerance.of(dtype));
  }
  for (const DType dtype : {DType::f16, DType::bool_}) {
    for (const Rows& rows : kRows)
      expect_as_interpreted(scatter(rows, "mul", dtype), kScatterTolerance.of(dtype));
  }
}

TEST(NativeScatter, NanAndInfinities) {
  for (const char* mode : kModes)
    expect_as_interpreted(scatter(kRows[0], mode, DType::f32, special_numbers), 1e-6);
}

TEST(NativeScatter, NarrowIndices) {
  for (const Rows& rows : kRows)
    expect_as_interpreted(scatter(rows, "add", DType::f32, plain_numbers, DType::i32), 2e-6);
}

TEST(NativeScatter, TakesTheMemoryOfX) {
  for (const char* mode : {"add", "set"}) {
    for (const Rows& rows : kRows) {
      expect_as_interpreted(
          scatter(rows, mode, DType::f32), 2e-6, {.limits = {}, .in_place = true});
    }
  }
}

TEST(NativeScatter, ManyUpdatesOfFewRows) {
  for (const double hot : {0.0, 0.5, 1.0}) {
    const Rows rows{{3, 2}, 0, {1500}, hot};
    for (const char* mode : {"add", "max", "set"})
      expect_as_interpreted(
          scatter(rows, mode, DType::f32), 2e-6, {.limits = {.sorted_at_once = 64}});
    expect_as_interpreted(scatter(rows, "add", DType::i32));
  }
}

TEST(NativeScatter, FewBlocksAndWidePositionsChangeNothing) {
  const NativeRun run{.limits = {.wide_from = 0, .most_blocks = 2, .sorted_at_once = 64}};
  for (const Rows& rows : kRows)
    expect_as_interpreted(scatter(rows, "add", DType::f32), 2e-6, run);
}

TEST(NativeScatter, WithoutUpdatesXIsCopied) {
  expect_as_interpreted(scatter({{5, 3}, 0, {0}}, "add", DType::f32));
  expect_as_interpreted(scatter({{0, 3}, 0, {0}}, "add", DType::f32));
}

TEST(NativeScatter, EveryTextStaysInRegisters) {
  for (const char* mode : kModes)
    expect_compiles(scatter(kRows[0], mode, DType::f32));
  for (const DType dtype : kAllDTypes)
    expect_compiles(scatter(kRows[0], "add", dtype, plain_numbers, DType::i32));
  expect_compiles(scatter(kRows[0], "add", DType::f64), {.wide_from = 0});
}

TEST(NativeScatter, CombinesChunksAheadWhereUpdatesAreMany) {
  const auto symbols_for = [](const Rows& rows, const std::string& mode) {
    std::vector<std::string> symbols;
    const auto program = make_native_program(library_op_of(scatter(rows, mode, DType::f32)));
    for (const NativeLaunch& launch : program->launches)
      symbols.push_back(launch.symbol);
    return symbols;
  };
  using Symbols = std::vector<std::string>;

  EXPECT_EQ(symbols_for({{9, 4}, 0, {100}}, "add"),
            (Symbols{"sort_tiles", "find_rows", "scatter"}));
  EXPECT_EQ(symbols_for({{9, 4}, 0, {3000}}, "add"),
            (Symbols{"sort_tiles", "merge_runs", "find_rows", "combine_chunks", "scatter"}));
  EXPECT_EQ(symbols_for({{9, 4}, 0, {3000}}, "set"),
            (Symbols{"sort_tiles", "merge_runs", "find_rows", "scatter"}));
  EXPECT_EQ(symbols_for({{9, 4}, 0, {0}}, "add"), (Symbols{"find_rows", "scatter"}));
  EXPECT_EQ(symbols_for({{0, 4}, 0, {0}}, "add"), Symbols{});
}

}  // namespace
}  // namespace wick::runtime::cuda
