#pragma once

// Squares of floats in vectors, transposed. Internal to runtime/.

#include <utility>

#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

inline namespace WICK_LANES_NAMESPACE {

/// Blocks of kStep by kStep across the diagonal of those of twice the size change places.
template <int kStep, int... kLane>
WICK_INLINE_VECTORS void swap_blocks(Floats& upper,
                                     Floats& lower,
                                     std::integer_sequence<int, kLane...> /*lanes*/) {
  constexpr int kOther = sizeof...(kLane);
  const Floats left = __builtin_shufflevector(
      upper, lower, ((kLane & kStep) == 0 ? kLane : kLane - kStep + kOther)...);
  lower = __builtin_shufflevector(
      upper, lower, ((kLane & kStep) == 0 ? kLane + kStep : kLane + kOther)...);
  upper = left;
}

/// Element i of row r becomes element r of row i.
template <int kStep = 1>
WICK_INLINE_VECTORS void transpose(Floats (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) {
    if ((i & kStep) == 0)
      swap_blocks<kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, kLanes>());
  }
  if constexpr (2 * kStep < kLanes) transpose<2 * kStep>(rows);
}

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime
