#pragma once

// One axis of a tensor resampled by fixed weights: what interpolation is made of. Internal.

#include <cstdint>
#include <vector>

#include "wick/tensor/tensor.h"

namespace wick::detail {

struct ResampledAxis {
  int64_t in = 0;
  int64_t out = 0;
  /// Elements of x for one of the result.
  double ratio = 0;
};

/// The elements of x that make each element of the result, and their weights, `taps` each.
struct Taps {
  int64_t taps = 1;
  std::vector<int64_t> positions;
  std::vector<double> weights;
};

/// x with axis `at` resampled. Where the extents are as small numbers are (twice as many, two of
/// three) by slices with steps, whose gradients are such as well; else by gathers, and scatters.
Tensor resample(const Tensor& x, int at, const ResampledAxis& axis, const Taps& taps, Where where);

}  // namespace wick::detail
