#pragma once

// Sums of products in registers, the innermost loop of matrix products and convolutions. Internal
// to runtime/, for machines that have_vectors().

#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

inline namespace WICK_LANES_NAMESPACE {

/// Each row of a tile is so many vectors wide. With 6 rows of 2 vectors a tile takes 12 of the 16
/// registers, leaves room for its operands, and has work for both multipliers in every cycle.
template <int64_t kRows, int64_t kVectors>
struct RegisterTile {
  Floats sums[kRows][kVectors];

  /// sums[r][v] = the sum over i < depth of left(i, r) times the vector v at right(i).
  template <class Left, class Right>
  WICK_INLINE_VECTORS void multiply(int64_t depth, Left left, Right right) {
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] = Floats{};
    }
    for (int64_t i = 0; i < depth; ++i) {
      const float* at = right(i);
      Floats columns[kVectors];
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v)
        columns[v] = load(at + v * kLanes);
#pragma GCC unroll 8
      for (int64_t r = 0; r < kRows; ++r) {
        const Floats factor = broadcast(left(i, r));
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v)
          sums[r][v] += factor * columns[v];
      }
    }
  }

  /// To rows so many elements apart; adds to what is there, or replaces it.
  WICK_INLINE_VECTORS void store_to(float* out, int64_t stride, bool adds) const {
#pragma GCC unroll 8
    for (int64_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        float* to = out + r * stride + v * kLanes;
        store(to, adds ? load(to) + sums[r][v] : sums[r][v]);
      }
    }
  }
};

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime
