#include "wick/nn/functional/operands.h"

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn::detail {

Tensor to_compute_dtype(const Tensor& x, Where where) {
  return is_half(x.dtype()) ? cast(x, DType::f32, where) : x;
}

void require_float(std::string_view op, std::string_view name, const Tensor& x, Where where) {
  if (!x.defined()) throw Error(where, op, fmt::format("{} is an undefined tensor", name));
  if (is_float(x.dtype())) return;
  throw Error(where, op, fmt::format("{} must be floats, is {}", name, to_string(x.type())));
}

}  // namespace wick::nn::detail
