#pragma once

// Sums of products in registers, the innermost loop of matrix products and convolutions. Internal
// to runtime/, for machines that have_vectors().

#include "wick/runtime/stored_matrix.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

inline namespace WICK_LANES_NAMESPACE {

/// The factors of rows of a tile, read as they lie.
struct RowsInPlace {
  StoredMatrix stored;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return stored.data[row * stored.stride + i];
  }

  [[nodiscard]] RowsInPlace at(int64_t row, int64_t i) const { return {stored.at(row, i)}; }
};

/// Number v of the kVectors vectors of a row of columns.
template <int64_t kVectors>
WICK_INLINE_VECTORS Floats vector_at(const float* row, int64_t v) {
  return load(row + v * kLanes);
}

/// Each row of a tile is so many vectors wide. With 6 rows of 2 vectors a tile takes 12 of 16
/// registers, with 14 rows 28 of 32: it leaves room for its operands, and has work for both
/// multipliers in every cycle.
template <int64_t kRows, int64_t kVectors>
struct RegisterTile {
  Floats sums[kRows][kVectors];

  /// sums[r][v] = the sum over i < depth of left(i, r) times vector_at(right(i), v).
  template <class Left, class Right>
  WICK_INLINE_VECTORS void multiply(int64_t depth, Left left, Right right) {
    clear();
    for (int64_t i = 0; i < depth; ++i)
      add_products(i, left, right);
  }

  /// The same, and calls ahead() before each 16 steps of the sum.
  template <class Left, class Right, class Ahead>
  WICK_INLINE_VECTORS void multiply(int64_t depth, Left left, Right right, Ahead& ahead) {
    constexpr int64_t kSteps = 16;
    clear();
    for (int64_t begin = 0; begin < depth; begin += kSteps) {
      ahead();
      const int64_t end = begin + kSteps < depth ? begin + kSteps : depth;
      for (int64_t i = begin; i < end; ++i)
        add_products(i, left, right);
    }
  }

  /// To rows so many elements apart; adds to what is there, or replaces it.
  WICK_INLINE_VECTORS void store_to(float* out, int64_t stride, bool adds) const {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v) {
        float* to = out + r * stride + v * kLanes;
        store(to, adds ? load(to) + sums[r][v] : sums[r][v]);
      }
    }
  }

 private:
  WICK_INLINE_VECTORS void clear() {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] = Floats{};
    }
  }

  template <class Left, class Right>
  WICK_INLINE_VECTORS void add_products(int64_t i, Left left, Right right) {
    const auto at = right(i);
    Floats columns[kVectors];
#pragma GCC unroll 16
    for (int64_t v = 0; v < kVectors; ++v)
      columns[v] = vector_at<kVectors>(at, v);
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
      const Floats factor = broadcast(left(i, r));
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] += factor * columns[v];
    }
  }
};

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime
