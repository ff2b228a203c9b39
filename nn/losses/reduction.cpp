#include "wick/nn/losses/reduction.h"

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn::detail {

Tensor reduce_loss(const Tensor& losses, Reduction reduction, DType dtype, Where where) {
  switch (reduction) {
    case Reduction::none:
      return cast(losses, dtype, where);
    case Reduction::mean:
      return cast(mean(losses, {}, false, where), dtype, where);
    case Reduction::sum:
      return cast(sum(losses, {}, false, where), dtype, where);
  }
  __builtin_unreachable();
}

Tensor hinge(const Tensor& x, Where where) {
  return wick::where(Operand(x, where) < 0, Operand(0, where), x);
}

void require_same_shape(std::string_view op,
                        std::string_view a_name,
                        const Tensor& a,
                        std::string_view b_name,
                        const Tensor& b,
                        Where where) {
  require_float(op, a_name, a, where);
  if (!b.defined()) throw Error(where, op, fmt::format("{} is an undefined tensor", b_name));
  if (a.shape() == b.shape()) return;
  throw Error(
      where,
      op,
      fmt::format(
          "shapes differ: {} {}, {} {}", a_name, to_string(a.type()), b_name, to_string(b.type())));
}

}  // namespace wick::nn::detail
