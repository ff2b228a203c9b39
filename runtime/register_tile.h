#pragma once

// Sums of products in registers, the innermost loop of matrix products and convolutions. Internal
// to runtime/, for machines that have_vectors().

#include "wick/runtime/stored_matrix.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

inline namespace WICK_LANES_NAMESPACE {

/// Asks for a row of so many elements that is read, or with kWrites written, soon.
template <bool kWrites>
WICK_INLINE_VECTORS void ask_for(const float* row, int64_t elements) {
  constexpr int64_t kLine = 16;
  for (int64_t at = 0; at < elements - kLine; at += kLine)
    __builtin_prefetch(row + at, kWrites);
  __builtin_prefetch(row + elements - 1, kWrites);
}

/// The factors of rows of a tile, read as they lie.
struct RowsInPlace {
  StoredMatrix stored;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return stored.data[row * stored.stride + i];
  }

  [[nodiscard]] RowsInPlace at(int64_t row, int64_t i) const { return {stored.at(row, i)}; }

  WICK_INLINE_VECTORS void ask_for_row(int64_t row, int64_t depth) const {
    constexpr int64_t kMost = 64;  // behind which the hardware has seen where this goes
    ask_for<false>(stored.data + row * stored.stride, depth < kMost ? depth : kMost);
  }
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
  static constexpr int64_t kSteps = 16;  // of a sum, between calls of further_ahead

  Floats sums[kRows][kVectors];

  WICK_INLINE_VECTORS void clear() {
#pragma GCC unroll 16
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] = Floats{};
    }
  }

  /// Steps [begin, end) of a sum.
  template <class Left, class Right>
  WICK_INLINE_VECTORS void add_products(int64_t begin, int64_t end, Left left, Right right) {
    for (int64_t i = begin; i < end; ++i)
      add_product(i, left, right);
  }

  /// sums[r][v] = the sum over i < depth of left(i, r) times vector_at(right(i), v).
  template <class Left, class Right>
  WICK_INLINE_VECTORS void multiply(int64_t depth, Left left, Right right) {
    clear();
    add_products(0, depth, left, right);
  }

  /// The same, and calls ahead(r) for each row, a few steps apart, which asks for what is needed
  /// next: all at once that would keep the operands waiting. Not for short sums, whose next tile
  /// begins before anything comes.
  template <class Left, class Right, class Ahead>
  WICK_INLINE_VECTORS void multiply(int64_t depth, Left left, Right right, Ahead ahead) {
    clear();
    add_products(ask_and_add(depth, left, right, ahead), depth, left, right);
  }

  /// The same, and calls further_ahead() before each kSteps further steps.
  template <class Left, class Right, class Ahead, class FurtherAhead>
  WICK_INLINE_VECTORS void multiply(
      int64_t depth, Left left, Right right, Ahead ahead, FurtherAhead& further_ahead) {
    clear();
    int64_t i = ask_and_add(depth, left, right, ahead);
    while (i < depth) {
      further_ahead();
      const int64_t end = i + kSteps < depth ? i + kSteps : depth;
      add_products(i, end, left, right);
      i = end;
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
  /// Returns how many steps were made.
  template <class Left, class Right, class Ahead>
  WICK_INLINE_VECTORS int64_t ask_and_add(int64_t depth, Left left, Right right, Ahead ahead) {
    constexpr int64_t kStepsOfRow = 2;
    if (depth < kRows * kStepsOfRow) return 0;
    for (int64_t r = 0; r < kRows; ++r) {
      ahead(r);
#pragma GCC unroll 16
      for (int64_t step = 0; step < kStepsOfRow; ++step)
        add_product(r * kStepsOfRow + step, left, right);
    }
    return kRows * kStepsOfRow;
  }

  template <class Left, class Right>
  WICK_INLINE_VECTORS void add_product(int64_t i, Left left, Right right) {
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
