#pragma once

// The affine layer.

#include "wick/nn/module.h"

namespace wick::nn {

/// y = x W^T + b. x f32[..., in] gives f32[..., out]; weight f32[out, in], bias f32[out]. Both
/// start uniform in +-1/sqrt(in). Error if the last extent of x is not `in`.
class Linear final : public Module {
 public:
  Linear(int64_t in, int64_t out, bool bias = true, Where where = Where::current());

  Tensor forward(const Tensor& x) override;

  [[nodiscard]] const Parameter& weight() const { return weight_; }

  /// Undefined when built without.
  [[nodiscard]] const Parameter& bias() const { return bias_; }

 private:
  int64_t in_;
  int64_t out_;
  Parameter weight_;
  Parameter bias_;
};

}  // namespace wick::nn
