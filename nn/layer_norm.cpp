#include "wick/nn/layer_norm.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn {

LayerNorm::LayerNorm(Shape normalized, double eps, Where where)
    : normalized_(std::move(normalized)),
      eps_(eps),
      weight_(register_parameter("weight", ones(normalized_, DType::f32, where), where)),
      bias_(register_parameter("bias", zeros(normalized_, DType::f32, where), where)) {}

Tensor LayerNorm::forward(const Tensor& x) {
  const Where where = call_site();
  const int first = x.ndim() - normalized_.ndim();
  if (first < 0 || !std::equal(normalized_.begin(), normalized_.end(), x.shape().begin() + first)) {
    throw Error(
        where,
        "layer_norm",
        fmt::format(
            "x must end in the extents {}, x is {}", to_string(normalized_), to_string(x.type())));
  }
  Axes axes;
  for (int axis = first; axis < x.ndim(); ++axis) {
    axes.push_back(axis);
  }
  const Tensor centered = x - mean(x, axes, true, where);
  const Tensor var = mean(square(centered, where), axes, true, where);
  return centered * rsqrt(var + eps_, where) * weight_.value() + bias_.value();
}

}  // namespace wick::nn
