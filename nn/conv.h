#pragma once

// The convolution layers. Weights start uniform in +-1/sqrt(fan_in), biases too. Where an extent or
// option takes one number an axis, a list of one stands for all.

#include "wick/nn/module.h"
#include "wick/tensor/ops_conv.h"

namespace wick::nn {

/// What the convolution layers share: the parameters. The bias of the options is ignored.
class ConvLayer : public Module {
 public:
  [[nodiscard]] const Parameter& weight() const { return weight_; }

  /// Undefined when built without.
  [[nodiscard]] const Parameter& bias() const { return bias_; }

 protected:
  ConvLayer() = default;

  void start(Shape weight, int64_t out, bool bias, Where where);

  /// The options with the layer's bias.
  template <typename Options>
  [[nodiscard]] Options with_bias(Options options) const {
    if (bias_.defined()) options.bias = bias_.value();
    return options;
  }

 private:
  Parameter weight_;
  Parameter bias_;
};

/// conv1d, conv2d or conv3d, by the number of spatial axes, with weight f32[out, in/groups, k...]
/// and bias f32[out]: x f32[n,in,l...] gives f32[n,out,l'...].
template <int kNumAxes>
class Conv final : public ConvLayer {
 public:
  Conv(int64_t in,
       int64_t out,
       const Axes& kernel,
       ConvOptions options = {},
       bool bias = true,
       Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  ConvOptions options_;
};

using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

extern template class Conv<1>;
extern template class Conv<2>;
extern template class Conv<3>;

/// conv_transpose2d with weight f32[in, out/groups, kh, kw] and bias f32[out]: x f32[n,in,h,w]
/// gives f32[n,out,h',w'].
class ConvTranspose2d final : public ConvLayer {
 public:
  ConvTranspose2d(int64_t in,
                  int64_t out,
                  const Axes& kernel,
                  ConvTransposeOptions options = {},
                  bool bias = true,
                  Where where = Where::current());

  Tensor forward(const Tensor& x) override;

 private:
  ConvTransposeOptions options_;
};

}  // namespace wick::nn
