#include "wick/nn/layer_norm.h"

#include <utility>

#include "wick/nn/functional/norms.h"

namespace wick::nn {

LayerNorm::LayerNorm(Shape normalized, double eps, Where where)
    : normalized_(std::move(normalized)),
      eps_(eps),
      weight_(register_parameter("weight", ones(normalized_, DType::f32, where), where)),
      bias_(register_parameter("bias", zeros(normalized_, DType::f32, where), where)) {}

Tensor LayerNorm::forward(const Tensor& x) {
  return layer_norm(x, normalized_, {.weight = weight_, .bias = bias_, .eps = eps_}, call_site());
}

RMSNorm::RMSNorm(Shape normalized, double eps, Where where)
    : normalized_(std::move(normalized)),
      eps_(eps),
      weight_(register_parameter("weight", ones(normalized_, DType::f32, where), where)) {}

Tensor RMSNorm::forward(const Tensor& x) {
  return rms_norm(x, normalized_, {.weight = weight_, .eps = eps_}, call_site());
}

}  // namespace wick::nn
