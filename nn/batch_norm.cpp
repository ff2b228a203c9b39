#include "wick/nn/batch_norm.h"

#include <vector>

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/norms.h"

namespace wick::nn {

namespace {

/// In memory of its own from the start: the first step is the same program as the later ones.
Tensor filled(int64_t channels, float value, Where where) {
  return from_vector(std::vector<float>(static_cast<size_t>(channels), value), {channels}, where);
}

}  // namespace

BatchNorm2d::BatchNorm2d(int64_t channels, BatchNormOptions options, Where where)
    : channels_(channels),
      options_(options),
      weight_(register_parameter("weight", ones({channels}, DType::f32, where), where)),
      bias_(register_parameter("bias", zeros({channels}, DType::f32, where), where)),
      running_mean_(register_buffer("running_mean", filled(channels, 0, where))),
      running_var_(register_buffer("running_var", filled(channels, 1, where))) {}

Tensor BatchNorm2d::forward(const Tensor& x) {
  const Where where = call_site();
  if (x.ndim() != 4 || x.shape()[1] != channels_) {
    throw Error(where,
                "batch_norm2d",
                fmt::format("x must be [n,{},h,w], x is {}", channels_, to_string(x.type())));
  }
  const NormOptions options{.weight = weight_, .bias = bias_, .eps = options_.eps};
  const ChannelStatistics running{running_mean_, running_var_};
  if (!is_training()) return batch_norm(x, running, options, where);
  const BatchNormResult result = batch_norm_training(x, running, options_.momentum, options, where);
  running_mean_.assign(result.running.mean, where);
  running_var_.assign(result.running.var, where);
  return result.output;
}

}  // namespace wick::nn
