#include "wick/tensor/op_arguments.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "wick/ir/infer_rules.h"
#include "wick/tensor/recording.h"

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

Axes reduced_axes(std::string_view op, const Axes& axes, const Type& type, Where where) {
  const int rank = type.shape.ndim();
  Axes all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  const bool is_row = rank == 0 && axes.size() == 1 && (axes[0] == 0 || axes[0] == -1);
  if (axes.empty() || is_row) return all;
  Axes result = axes_of(op, axes, type, where);
  std::ranges::sort(result);
  return result;
}

void require_shape(std::string_view op, const Shape& shape, Where where) {
  for (const int64_t extent : shape) {
    if (extent >= 0) continue;
    throw Error(where, op, fmt::format("shape {} has a negative extent", to_string(shape)));
  }
  if (ir::is_countable(shape)) return;
  throw Error(where, op, fmt::format("shape {} has too many elements", to_string(shape)));
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

void require_float(std::string_view op, const Type& type, Where where) {
  if (is_float(type.dtype)) return;
  throw Error(where, op, fmt::format("needs floats, got {}", to_string(type)));
}

void require_mask(std::string_view op, const Tensor& mask, Where where) {
  const Type& type = type_of(op, mask, where);
  if (type.dtype == DType::bool_) return;
  throw Error(where, op, fmt::format("the mask should be bool, got {}", to_string(type)));
}

Tensor operand_as(std::string_view op, const Operand& value, DType dtype, Where where) {
  if (value.tensor != nullptr) {
    type_of(op, *value.tensor, where);
    return cast(*value.tensor, dtype, where);
  }
  const Number number(value);
  if (Ref<Node> constant = shared_constant(dtype, number)) return Tensor(std::move(constant));
  const std::optional<uint64_t> bits = bits_of(number, dtype);
  if (!bits) {
    throw Error(
        where, op, fmt::format("the number {} does not fit {}", value.real, to_string(dtype)));
  }
  return Tensor(Node::scalar(dtype, *bits, where));
}

Tensor zero_of(DType dtype) {
  return Tensor(shared_constant(dtype, int64_t{0}));
}

Tensor one_of(DType dtype) {
  return Tensor(shared_constant(dtype, int64_t{1}));
}

}  // namespace wick::detail
