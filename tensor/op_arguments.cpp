#include "wick/tensor/op_arguments.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick::detail {

const Type& type_of(std::string_view op, const Tensor& x, Where where) {
  if (!x.defined()) throw Error(where, op, "an operand is an undefined tensor");
  return x.type();
}

int axis_of(std::string_view op, int64_t axis, const Type& type, Where where) {
  const int rank = type.shape.ndim();
  if (axis < -rank || axis >= rank) {
    throw Error(where, op, fmt::format("axis {} is out of range for {}", axis, to_string(type)));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Axes axes_of(std::string_view op, const Axes& axes, const Type& type, Where where) {
  Axes result;
  for (const int64_t axis : axes) {
    const int64_t position = axis_of(op, axis, type, where);
    if (std::ranges::find(result, position) != result.end()) {
      constexpr auto kText = "axis {} is named twice for {}";
      throw Error(where, op, fmt::format(kText, position, to_string(type)));
    }
    result.push_back(position);
  }
  return result;
}

void require_rank(std::string_view op, int least, const Type& type, Where where) {
  if (type.shape.ndim() >= least) return;
  constexpr auto kText = "needs {} or more axes, got {}";
  throw Error(where, op, fmt::format(kText, least, to_string(type)));
}

void require_integer(std::string_view op, const Type& type, Where where) {
  if (is_integer(type.dtype)) return;
  throw Error(where, op, fmt::format("needs integers, got {}", to_string(type)));
}

}  // namespace wick::detail
