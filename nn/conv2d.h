#pragma once

// The convolution layer.

#include "wick/nn/module.h"

namespace wick::nn {

/// Cross-correlation plus bias: y[n,o] = b[o] + sum over c of x[n,c] * w[o,c]. x f32[n,in,h,w]
/// gives f32[n,out,h',w'] with h' = (h + 2 padding - dilation (kernel - 1) - 1) / stride + 1;
/// weight f32[out, in/groups, kh, kw], bias f32[out]. Both start uniform in +-1/sqrt(in/groups kh
/// kw).
class Conv2d final : public Module {
 public:
  Conv2d(int64_t in,
         int64_t out,
         const Axes& kernel,
         Conv2dOptions options = {},
         bool bias = true,
         Where where = Where::current());

  Tensor forward(const Tensor& x) override;

  [[nodiscard]] const Parameter& weight() const { return weight_; }

  /// Undefined when built without.
  [[nodiscard]] const Parameter& bias() const { return bias_; }

 private:
  Conv2dOptions options_;
  Parameter weight_;
  Parameter bias_;
};

}  // namespace wick::nn
