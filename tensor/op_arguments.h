#pragma once

// Checks of arguments by functions that are more than one op; errors name the function. Internal.

#include <span>
#include <string_view>

#include "wick/tensor/ops.h"

namespace wick::detail {

inline Axes to_axes(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

inline Shape to_shape(const Axes& extents) {
  return Shape(std::span<const int64_t>(extents));
}

/// Error for an undefined tensor.
const Type& type_of(std::string_view op, const Tensor& x, Where where);
/// The axis, counted from the end if negative. Error when out of range.
int axis_of(std::string_view op, int64_t axis, const Type& type, Where where);
/// Each of the axes, in their order. Error when out of range or named twice.
Axes axes_of(std::string_view op, const Axes& axes, const Type& type, Where where);
/// The axes sorted, all of them when empty; a scalar counts as a row of one, as in NumPy and
/// PyTorch. Error for an axis out of range or named twice.
Axes reduced_axes(std::string_view op, const Axes& axes, const Type& type, Where where);
/// Error unless a tensor can have this shape.
void require_shape(std::string_view op, const Shape& shape, Where where);
/// Error unless the tensor has at least this many axes.
void require_rank(std::string_view op, int least, const Type& type, Where where);
void require_integer(std::string_view op, const Type& type, Where where);
void require_float(std::string_view op, const Type& type, Where where);
/// Error unless the mask is a bool tensor.
void require_mask(std::string_view op, const Tensor& mask, Where where);
/// A tensor cast to the dtype, a number as a scalar of it. Error when it does not fit.
Tensor operand_as(std::string_view op, const Operand& value, DType dtype, Where where);
/// The scalar 0 or 1 of a dtype, for an operand.
Tensor zero_of(DType dtype);
Tensor one_of(DType dtype);

}  // namespace wick::detail
