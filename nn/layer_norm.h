#pragma once

// Layer normalization (Ba, Kiros and Hinton, 2016).

#include "wick/nn/module.h"

namespace wick::nn {

/// y = (x - mean) / sqrt(var + eps) * weight + bias over the last axes, whose extents are
/// `normalized`; weight and bias have that shape, var is the population variance. x f32[...,
/// normalized] gives the same type. Error if x does not end in these extents.
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

}  // namespace wick::nn
