#pragma once

// The innermost loop of gradients of the weights of convolutions with one channel in each group.
// Internal to runtime/.

#include <cstdint>

namespace wick::runtime {

/// Rows of a cotangent, vector by vector, and of the source that it is multiplied with.
struct TapRows {
  const float* cotangent;
  const float* source;  // laid out
  int64_t rows;
  int64_t cotangent_row;  // elements from row to row
  int64_t source_row;
  int64_t vectors;         // in a row
  int64_t cotangent_step;  // elements from vector to vector
  int64_t source_step;
};

struct TapKernels {
  static constexpr int64_t kMostTaps = 14;

  int64_t lanes;

  /// By the number of taps, from 1 on: adds to a vector for each tap the products of the cotangent
  /// with the source, so many elements on.
  void (*add_products[kMostTaps])(const TapRows&, const int64_t* offsets, float* sums);
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const TapKernels& tap_kernels();

}  // namespace wick::runtime
