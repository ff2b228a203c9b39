#pragma once

// Checks of arguments by functions that are more than one op; errors name the function. Internal.

#include <string_view>

#include "wick/tensor/ops.h"

namespace wick::detail {

inline Axes to_axes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

/// Error for an undefined tensor.
const Type& type_of(std::string_view op, const Tensor& x, Where where);
/// The axis, counted from the end if negative. Error when out of range.
int axis_of(std::string_view op, int64_t axis, const Type& type, Where where);
/// Each of the axes, in their order. Error when out of range or named twice.
Axes axes_of(std::string_view op, const Axes& axes, const Type& type, Where where);
/// Error unless the tensor has at least this many axes.
void require_rank(std::string_view op, int least, const Type& type, Where where);
/// Error unless the indices are integers.
void require_integer(std::string_view op, const Type& type, Where where);

}  // namespace wick::detail
