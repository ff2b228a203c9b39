#pragma once

// Layers that normalize the last axes of each sample.

#include "wick/nn/module.h"

namespace wick::nn {

/// layer_norm over the last axes, whose extents are `normalized`, with weight and bias of that
/// shape: x f32[..., normalized] gives the same type (Ba, Kiros and Hinton, 2016). Error if x does
/// not end in these extents.
class LayerNorm final : public Module {
 public:
  explicit LayerNorm(Shape normalized, double eps = 1e-5, Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  Shape normalized_;
  double eps_;
  Parameter weight_;
  Parameter bias_;
};

/// rms_norm over the last axes, whose extents are `normalized`, with a weight of that shape (Zhang
/// and Sennrich, 2019). Error if x does not end in these extents.
class RMSNorm final : public Module {
 public:
  explicit RMSNorm(Shape normalized, double eps = 1e-6, Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  Shape normalized_;
  double eps_;
  Parameter weight_;
};

}  // namespace wick::nn
