#include "wick/runtime/dot_gemm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wick/runtime/even_parts.h"
#include "wick/runtime/some_lanes.h"
#include "wick/runtime/stored_matrix.h"
#include "wick/runtime/transpose_lanes.h"

namespace wick::runtime {
namespace {

/// Of a tile. Each sum takes a register.
constexpr int64_t kRowsOfTile = kLanes == 16 ? 6 : 4;
constexpr int64_t kColumnsOfTile = kLanes == 16 ? 4 : 2;
constexpr int64_t kCopiedDepth = 1024;  // of copies, in summands

/// Where sums go, added to what is there or not.
struct Output {
  float* data;
  int64_t stride;
  bool adds;

  [[nodiscard]] Output at(int64_t row, int64_t column) const {
    return {data + row * stride + column, stride, adds};
  }
};

/// Summands from number `i` on.
struct WholeAt {
  int64_t i;

  WICK_INLINE_VECTORS Floats operator()(const float* row) const { return load(row + i); }
};

struct SomeAt {
  int64_t i;
  SomeLanes lanes;

  WICK_INLINE_VECTORS Floats operator()(const float* row) const { return lanes.load(row + i); }
};

template <int64_t kRows, int64_t kColumns>
struct DotTile {
  Floats sums[kRows][kColumns] = {};

  template <class At>
  WICK_INLINE_VECTORS void add_products(StoredMatrix left, StoredMatrix right, At at) {
    Floats columns[kColumns];
#pragma GCC unroll 16
    for (int64_t column = 0; column < kColumns; ++column)
      columns[column] = at(right.data + column * right.stride);
#pragma GCC unroll 16
    for (int64_t row = 0; row < kRows; ++row) {
      const Floats factor = at(left.data + row * left.stride);
#pragma GCC unroll 16
      for (int64_t column = 0; column < kColumns; ++column)
        sums[row][column] += factor * columns[column];
    }
  }
};

/// Into the first, halves on halves.
template <int64_t kHalf = kLanes / 2>
WICK_INLINE_VECTORS void add_all(Floats (&vectors)[kLanes]) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < kHalf; ++i)
    vectors[i] += vectors[i + kHalf];
  if constexpr (kHalf > 1) add_all<kHalf / 2>(vectors);
}

template <int64_t kRows, int64_t kColumns>
WICK_VECTORS void dot_tile(StoredMatrix left, StoredMatrix right, int64_t depth, Output out) {
  DotTile<kRows, kColumns> tile;
  int64_t i = 0;
  for (; i + kLanes <= depth; i += kLanes)
    tile.add_products(left, right, WholeAt{i});
  if (i < depth) tile.add_products(left, right, SomeAt{i, SomeLanes(depth - i)});
  constexpr int64_t kSums = kRows * kColumns;
  float totals[(kSums + kLanes - 1) / kLanes * kLanes];
#pragma GCC unroll 16
  for (int64_t first = 0; first < kSums; first += kLanes) {
    Floats some[kLanes];
#pragma GCC unroll 16
    for (int64_t i = 0; i < kLanes; ++i)
      some[i] =
          first + i < kSums ? tile.sums[(first + i) / kColumns][(first + i) % kColumns] : Floats{};
    transpose(some);
    add_all(some);
    store(totals + first, some[0]);
  }
  for (int64_t row = 0; row < kRows; ++row) {
    float* to = out.data + row * out.stride;
    for (int64_t column = 0; column < kColumns; ++column)
      to[column] = totals[row * kColumns + column] + (out.adds ? to[column] : 0);
  }
}

using DotTileOfSize = void(StoredMatrix, StoredMatrix, int64_t, Output);
using DotTilesOfRows = std::array<DotTileOfSize*, kColumnsOfTile>;

template <int64_t kRows, int64_t... kLess>
constexpr DotTilesOfRows dot_tiles_of_rows(std::integer_sequence<int64_t, kLess...> /*columns*/) {
  return {dot_tile<kRows, kLess + 1>...};
}

template <int64_t... kLess>
constexpr std::array<DotTilesOfRows, kRowsOfTile> dot_tiles(
    std::integer_sequence<int64_t, kLess...> /*rows*/) {
  return {dot_tiles_of_rows<kLess + 1>(std::make_integer_sequence<int64_t, kColumnsOfTile>())...};
}

/// [rows,depth] times [columns,depth] transposed, the longer of which is walked once.
void multiply_rows(int64_t rows,
                   int64_t columns,
                   int64_t depth,
                   StoredMatrix left,
                   StoredMatrix right,
                   Output out) {
  static constexpr auto kTiles = dot_tiles(std::make_integer_sequence<int64_t, kRowsOfTile>());
  const EvenParts down(rows, kRowsOfTile);
  const EvenParts across(columns, kColumnsOfTile);
  const bool goes_down = rows >= columns;
  for (int64_t i = 0; i < down.count() * across.count(); ++i) {
    const int64_t down_part = goes_down ? i / across.count() : i % down.count();
    const int64_t across_part = goes_down ? i % across.count() : i / down.count();
    const int64_t row = down.begin(down_part);
    const int64_t column = across.begin(across_part);
    kTiles[static_cast<size_t>(down.size(down_part) - 1)]
          [static_cast<size_t>(across.size(across_part) - 1)](
              left.at(row, 0), right.at(column, 0), depth, out.at(row, column));
  }
}

/// Few columns as rows.
StoredMatrix copy_columns(StoredMatrix from, int64_t columns, int64_t depth, float* to) {
  for (int64_t i = 0; i < depth; ++i) {
    for (int64_t column = 0; column < columns; ++column)
      to[column * kCopiedDepth + i] = from.data[i * from.stride + column];
  }
  return {to, kCopiedDepth};
}

void multiply(const GemmArgs<float>& args) {
  float copy[kFewDotRows * kCopiedDepth];
  const StoredMatrix lhs{args.lhs, args.lhs_stride};
  const StoredMatrix rhs{args.rhs, args.rhs_stride};
  const bool copies_left = args.transpose_lhs == 'T';
  const bool copies_right = args.transpose_rhs != 'T';
  const int64_t most = copies_left || copies_right ? kCopiedDepth : args.k;
  for (int64_t begin = 0; begin < args.k; begin += most) {
    const int64_t depth = std::min(most, args.k - begin);
    const StoredMatrix left =
        copies_left ? copy_columns(lhs.at(begin, 0), args.m, depth, copy) : lhs.at(0, begin);
    const StoredMatrix right =
        copies_right ? copy_columns(rhs.at(begin, 0), args.n, depth, copy) : rhs.at(0, begin);
    const bool adds = args.adds || begin > 0;
    multiply_rows(args.m, args.n, depth, left, right, {args.out, args.out_stride, adds});
  }
}

}  // namespace

template <>
const GemmLibrary<float>& dot_gemm<kLanes>() {
  constexpr int64_t kPiece = 512;
  static constexpr GemmLibrary<float> kGemm = {
      "direct matmul along summands", multiply, kPiece, true};
  return kGemm;
}

}  // namespace wick::runtime
