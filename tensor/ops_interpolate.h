#pragma once

// Resampling of images.

#include <vector>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick {

enum class Interpolation : uint8_t {
  nearest,        // element floor(i in / out)
  nearest_exact,  // the element whose centre is nearest
  linear,         // of 2, 4 or 8 neighbours: linear, bilinear, trilinear
  cubic,          // of 4 or 16 neighbours, with a = -0.75 (Keys, 1981): bicubic for two axes
  area            // the mean of what falls onto an element: adaptive_avg_pool
};

struct InterpolateOptions {
  /// The extents of the result, or one for all axes; empty: by scale_factor.
  Axes size = {};
  /// One for all axes, or one each; the result's extents are floor(extent * factor).
  std::vector<double> scale_factor = {};
  Interpolation mode = Interpolation::nearest;
  /// Of linear and cubic: the centres of the corner elements stay where they are, instead of the
  /// corners of the image.
  bool align_corners = false;
};

/// x [n,c,...] with one, two or three axes resampled. Half types compute in f32. Error if size and
/// factors do not fit, or the result or x would be empty beside n.
Tensor interpolate(const Tensor& x,
                   const InterpolateOptions& options,
                   Where where = Where::current());

}  // namespace wick
