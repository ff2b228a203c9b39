#pragma once

// Convolutions and what goes with them. Where an option takes one number an axis, a list of one
// stands for all spatial axes. Errors name what does not fit.

#include <optional>

#include "wick/tensor/ops.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/tensor.h"

namespace wick {

struct ConvOptions {
  Axes stride = {1};
  /// On both sides of each axis.
  Axes padding = {0};
  Axes dilation = {1};
  int64_t groups = 1;
  /// f32[o], added to each output channel; undefined: none.
  Tensor bias = {};
  /// Pads by as much as y gets the extents of x, instead of by `padding`; where that is odd the
  /// higher side gets more. Needs stride 1.
  bool same_padding = false;
  /// What the padding is made of; zeros unless set.
  std::optional<PadMode> pad_mode = std::nullopt;
};

/// Cross-correlation: y[n,o] = bias[o] + sum over c of x[n,c] * w[o,c]. x [n,c,...] or [c,...] with
/// w [o,c/groups,kernel...] gives [n,o,...] or [o,...], and an axis of extent l gets (l + 2 padding
/// - dilation (kernel - 1) - 1) / stride + 1.
Tensor conv1d(const Tensor& x,
              const Tensor& w,
              const ConvOptions& options = {},
              Where where = Where::current());
Tensor conv2d(const Tensor& x,
              const Tensor& w,
              const ConvOptions& options = {},
              Where where = Where::current());
Tensor conv3d(const Tensor& x,
              const Tensor& w,
              const ConvOptions& options = {},
              Where where = Where::current());

struct ConvTransposeOptions {
  Axes stride = {1};
  Axes padding = {0};
  /// Added to one side of the result; less than stride or dilation.
  Axes output_padding = {0};
  Axes dilation = {1};
  int64_t groups = 1;
  /// f32[o], added to each output channel; undefined: none.
  Tensor bias = {};
};

/// The gradient of a convolution for its input, as a layer (Zeiler et al., 2010). x [n,c,...] or
/// [c,...] with w [c,o/groups,kernel...] gives [n,o,...] or [o,...], and an axis of extent l gets
/// (l - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.
Tensor conv_transpose1d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options = {},
                        Where where = Where::current());
Tensor conv_transpose2d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options = {},
                        Where where = Where::current());
Tensor conv_transpose3d(const Tensor& x,
                        const Tensor& w,
                        const ConvTransposeOptions& options = {},
                        Where where = Where::current());

struct UnfoldOptions {
  Axes kernel = {};
  Axes stride = {1};
  Axes padding = {0};
  Axes dilation = {1};
};

/// The windows of a convolution as columns (im2col): x [n,c,h,w] or [c,h,w] gives [n, c kh kw, l]
/// or [c kh kw, l] for l windows.
Tensor unfold(const Tensor& x, const UnfoldOptions& options, Where where = Where::current());
/// Sums columns of windows back into images (col2im): the gradient of unfold. `output` are the
/// extents h and w.
Tensor fold(const Tensor& columns,
            const Axes& output,
            const UnfoldOptions& options,
            Where where = Where::current());

}  // namespace wick
