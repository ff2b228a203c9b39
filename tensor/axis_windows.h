#pragma once

// Windows that slide along one axis, which unfold, fold and the transforms of frames share.
// Internal.

#include "wick/tensor/ops.h"

namespace wick::detail {

/// Element k of window i lies at i * stride + k * dilation.
struct AxisWindows {
  int64_t count = 0;
  int64_t size = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
};

/// i64[count, size], which may be many: they are computed where they are read.
Tensor positions_of(const AxisWindows& windows, Where where);

/// The axis as two: [..., count, size, ...].
Tensor windows_of(const Tensor& x, int axis, const AxisWindows& windows, Where where);
/// The axis becomes the windows' [count], their elements [size] a new axis `to` before it.
Tensor elements_of_windows(
    const Tensor& x, int axis, int to, const AxisWindows& windows, Where where);

/// Adds the windows [..., count, size, ...] up where they lie on an axis of `extent`: the gradient
/// of windows_of.
Tensor sum_of_windows(
    const Tensor& values, int axis, const AxisWindows& windows, int64_t extent, Where where);
/// The gradient of elements_of_windows, with the elements in axis `from` of the values.
Tensor sum_of_elements(const Tensor& values,
                       int from,
                       int axis,
                       const AxisWindows& windows,
                       int64_t extent,
                       Where where);

}  // namespace wick::detail
