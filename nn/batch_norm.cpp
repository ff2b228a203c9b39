#include "wick/nn/batch_norm.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"

namespace wick::nn {

BatchNorm2d::BatchNorm2d(int64_t channels, BatchNormOptions options, Where where)
    : channels_(channels),
      options_(options),
      weight_(register_parameter("weight", ones({channels}, DType::f32, where), where)),
      bias_(register_parameter("bias", zeros({channels}, DType::f32, where), where)),
      running_mean_(register_buffer("running_mean", zeros({channels}, DType::f32, where))),
      running_var_(register_buffer("running_var", ones({channels}, DType::f32, where))) {}

Tensor BatchNorm2d::forward(const Tensor& x) {
  const Where where = call_site();
  if (x.ndim() != 4 || x.shape()[1] != channels_) {
    throw Error(where,
                "batch_norm2d",
                fmt::format("x must be [n,{},h,w], x is {}", channels_, to_string(x.type())));
  }
  const Shape per_channel = {1, channels_, 1, 1};
  Tensor mean = reshape(running_mean_, per_channel, where);
  Tensor var = reshape(running_var_, per_channel, where);
  if (is_training()) {
    mean = wick::mean(x, {0, 2, 3}, true, where);
    var = wick::mean(square(x - mean, where), {0, 2, 3}, true, where);
    update_running(mean, var, x.numel() / channels_);
  }
  const Tensor scale = rsqrt(var + options_.eps, where) * reshape(weight_, per_channel, where);
  return (x - mean) * scale + reshape(bias_, per_channel, where);
}

void BatchNorm2d::update_running(const Tensor& mean, const Tensor& var, int64_t count) {
  const NoGradGuard no_grad;
  const double keep = 1.0 - options_.momentum;
  const double unbiased =
      static_cast<double>(count) / static_cast<double>(std::max<int64_t>(count - 1, 1));
  const Tensor batch_mean = reshape(mean, {channels_});
  const Tensor batch_var = reshape(var, {channels_});
  running_mean_.assign(running_mean_.value() * keep + batch_mean * options_.momentum);
  running_var_.assign(running_var_.value() * keep + batch_var * (options_.momentum * unbiased));
}

}  // namespace wick::nn
