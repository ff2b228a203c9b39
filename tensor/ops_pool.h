#pragma once

// Pooling over the last one, two or three axes: x [n,c,...] or [c,...]. Where a function takes one
// number an axis, a list of one stands for all axes. Errors name what does not fit: windows larger
// than the padded axis, padding of more than half the kernel, axes without elements.

#include <optional>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick {

struct MaxPoolOptions {
  Axes kernel = {};
  Axes stride = {};  // empty: kernel
  Axes padding = {0};
  Axes dilation = {1};
  /// The last window of an axis may reach beyond the padding, as long as it begins before.
  bool ceil_mode = false;
};

/// Largest element of each window; an axis of extent l gets
/// (l + 2 padding - dilation (kernel - 1) - 1) / stride + 1 windows. Padding is -inf; NaN wins. The
/// gradient goes to the first largest element.
Tensor max_pool1d(const Tensor& x, const MaxPoolOptions& options, Where where = Where::current());
Tensor max_pool2d(const Tensor& x, const MaxPoolOptions& options, Where where = Where::current());
Tensor max_pool3d(const Tensor& x, const MaxPoolOptions& options, Where where = Where::current());

struct IndexedPool {
  Tensor values;
  /// i64: the row-major position of each value in the pooled axes of x.
  Tensor indices;
};

IndexedPool max_pool1d_with_indices(const Tensor& x,
                                    const MaxPoolOptions& options,
                                    Where where = Where::current());
IndexedPool max_pool2d_with_indices(const Tensor& x,
                                    const MaxPoolOptions& options,
                                    Where where = Where::current());
IndexedPool max_pool3d_with_indices(const Tensor& x,
                                    const MaxPoolOptions& options,
                                    Where where = Where::current());

/// The inverse of max_pool2d_with_indices: zeros with the values at the indices. `output` are the
/// extents of the two pooled axes.
Tensor max_unpool2d(const Tensor& values,
                    const Tensor& indices,
                    const Axes& output,
                    Where where = Where::current());

struct AvgPoolOptions {
  Axes kernel = {};
  Axes stride = {};  // empty: kernel
  Axes padding = {0};
  /// The last window of an axis may reach beyond the padding, as long as it begins before; what
  /// lies beyond does not count.
  bool ceil_mode = false;
  /// Padding counts as zeros; otherwise the mean is over what is inside.
  bool count_include_pad = true;
  /// Divides the sum of each window instead of the number of its elements.
  std::optional<int64_t> divisor_override = std::nullopt;
};

/// Mean of each window, windows as those of max_pool1d. Half types compute in f32.
Tensor avg_pool1d(const Tensor& x, const AvgPoolOptions& options, Where where = Where::current());
Tensor avg_pool2d(const Tensor& x, const AvgPoolOptions& options, Where where = Where::current());
Tensor avg_pool3d(const Tensor& x, const AvgPoolOptions& options, Where where = Where::current());

struct LpPoolOptions {
  double p = 2;
  Axes kernel = {};
  Axes stride = {};  // empty: kernel
  bool ceil_mode = false;
};

/// (sum of x^p)^(1/p) of each window, 0 where the sum is negative.
Tensor lp_pool1d(const Tensor& x, const LpPoolOptions& options, Where where = Where::current());
Tensor lp_pool2d(const Tensor& x, const LpPoolOptions& options, Where where = Where::current());

/// Windows that divide each axis evenly into `output` parts: part i begins at floor(i in / out) and
/// ends before ceil((i + 1) in / out). An extent of -1 keeps that of x.
Tensor adaptive_avg_pool1d(const Tensor& x, const Axes& output, Where where = Where::current());
Tensor adaptive_avg_pool2d(const Tensor& x, const Axes& output, Where where = Where::current());
Tensor adaptive_avg_pool3d(const Tensor& x, const Axes& output, Where where = Where::current());
IndexedPool adaptive_max_pool1d(const Tensor& x,
                                const Axes& output,
                                Where where = Where::current());
IndexedPool adaptive_max_pool2d(const Tensor& x,
                                const Axes& output,
                                Where where = Where::current());
IndexedPool adaptive_max_pool3d(const Tensor& x,
                                const Axes& output,
                                Where where = Where::current());

}  // namespace wick
