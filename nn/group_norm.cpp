#include "wick/nn/group_norm.h"

#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/nn/functional/norms.h"

namespace wick::nn {

GroupNorm::GroupNorm(int64_t num_groups, int64_t channels, double eps, Where where)
    : num_groups_(num_groups),
      eps_(eps) {
  if (num_groups < 1 || channels % num_groups != 0) {
    constexpr auto kText = "{} channels do not divide into {} groups";
    throw Error(where, "group_norm", fmt::format(kText, channels, num_groups));
  }
  weight_ = register_parameter("weight", ones({channels}, DType::f32, where), where);
  bias_ = register_parameter("bias", zeros({channels}, DType::f32, where), where);
}

Tensor GroupNorm::forward(const Tensor& x) {
  return group_norm(x, num_groups_, {.weight = weight_, .bias = bias_, .eps = eps_}, call_site());
}

InstanceNorm::InstanceNorm(int64_t channels, double eps, Where where)
    : eps_(eps),
      weight_(register_parameter("weight", ones({channels}, DType::f32, where), where)),
      bias_(register_parameter("bias", zeros({channels}, DType::f32, where), where)) {}

Tensor InstanceNorm::forward(const Tensor& x) {
  return instance_norm(x, {.weight = weight_, .bias = bias_, .eps = eps_}, call_site());
}

}  // namespace wick::nn
