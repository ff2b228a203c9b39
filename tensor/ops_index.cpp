#include "wick/tensor/ops_index.h"

#include <limits>

#include <fmt/format.h>

#include "wick/tensor/index_positions.h"
#include "wick/tensor/indexing.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::axis_of;
using detail::operand_as;
using detail::record_binary;
using detail::scatter_slices;
using detail::type_of;
using ir::OpKind;

namespace {

/// x, or a row of one if it is a scalar.
Tensor row_of(std::string_view op, const Tensor& x, Where where) {
  type_of(op, x, where);
  return atleast_1d(x, where);
}

/// Indices of one axis, as i32 or i64.
Tensor index_list(std::string_view op, const Tensor& indices, Where where) {
  const Type& type = type_of(op, indices, where);
  detail::require_integer(op, type, where);
  if (type.shape.ndim() > 1) {
    throw Error(where, op, fmt::format("needs a list of indices, got {}", to_string(type)));
  }
  const Tensor list = atleast_1d(indices, where);
  return type.dtype == DType::i32 ? list : cast(list, DType::i64, where);
}

/// Error unless the indices are integers with an axis for each of x, and beside `axis` (-1: of all)
/// no longer.
void check_elementwise(
    std::string_view op, const Tensor& x, int axis, const Tensor& indices, Where where) {
  const Type& type = type_of(op, indices, where);
  detail::require_integer(op, type, where);
  bool fits = type.shape.ndim() == x.ndim();
  for (int i = 0; fits && i < x.ndim(); ++i)
    fits = i == axis || type.shape[i] <= x.shape()[i];
  if (fits) return;
  const std::string beside = axis < 0 ? "" : fmt::format(" beside axis {}", axis);
  constexpr auto kText = "indices {} do not fit {}{}";
  throw Error(where, op, fmt::format(kText, to_string(type), to_string(x.type()), beside));
}

/// The leading part of x with these extents; an axis that is `free` keeps its own.
Tensor leading_part(const Tensor& x, const Shape& shape, int free, Where where) {
  Tensor part = x;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != free) part = narrow(part, i, 0, shape[i], where);
  }
  return part;
}

/// What gather and scatter take: i32 as it is, and others as i64.
Tensor as_index(const Tensor& indices, Where where) {
  return indices.dtype() == DType::i32 ? indices : cast(indices, DType::i64, where);
}

/// For indices along an axis of x, equal to x in extents beside it.
Tensor gather_elements(const Tensor& x, int axis, const Tensor& indices, Where where) {
  const Tensor part = leading_part(x, indices.shape(), axis, where);
  const Tensor at = as_index(indices, where);
  if (x.ndim() == 1) return take(part, at, 0, where);
  const Ref<detail::Node> operands[] = {part.node(), at.node()};
  return detail::record_nodes(
      OpKind::gather, operands, detail::share({{"along", true}, {"axis", int64_t{axis}}}), where);
}

/// Scatter of x and source by elements; both are at least as long as the indices.
Tensor scatter_elements(std::string_view op,
                        const Tensor& x,
                        int axis,
                        const Tensor& indices,
                        const Operand& source,
                        ScatterMode mode,
                        Where where) {
  const Tensor vector = row_of(op, x, where);
  const int position = axis_of(op, axis, vector.type(), where);
  const Tensor list = row_of(op, indices, where);
  check_elementwise(op, vector, position, list, where);
  Tensor updates = operand_as(op, source, x.dtype(), where);
  if (source.tensor == nullptr) {
    updates = broadcast_to(updates, list.shape(), where);
  } else {
    updates = atleast_1d(updates, where);
    check_elementwise(op, updates, -1, list, where);
    updates = leading_part(updates, list.shape(), -1, where);
  }
  const Tensor part = leading_part(vector, list.shape(), position, where);
  const bool is_along = part.ndim() > 1;
  const Tensor changed =
      detail::record_scatter(part, position, as_index(list, where), updates, mode, is_along, where);
  if (part.shape() == vector.shape()) return reshape(changed, x.shape(), where);
  std::vector<Index> leading;
  for (const int64_t extent : part.shape())
    leading.emplace_back(Slice{0, extent});
  return index_put(vector, Indices(std::move(leading), where), {changed, where});
}

/// What a reduction starts from.
Operand identity(ScatterReduction reduction, DType dtype) {
  switch (reduction) {
    case ScatterReduction::sum:
    case ScatterReduction::mean:
      return 0;
    case ScatterReduction::prod:
      return 1;
    case ScatterReduction::amax:
    case ScatterReduction::amin:
      break;
  }
  const bool is_max = reduction == ScatterReduction::amax;
  return visit_dtype(dtype, [is_max]<typename T>() -> Operand {
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      return static_cast<int64_t>(is_max ? Limits::min() : Limits::max());
    } else {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return is_max ? -kInfinity : kInfinity;
    }
  });
}

ScatterMode mode_of(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::sum:
    case ScatterReduction::mean:
      return ScatterMode::add;
    case ScatterReduction::prod:
      return ScatterMode::mul;
    case ScatterReduction::amax:
      return ScatterMode::max;
    case ScatterReduction::amin:
      return ScatterMode::min;
  }
  __builtin_unreachable();
}

}  // namespace

Tensor index_select(const Tensor& x, int axis, const Tensor& indices, Where where) {
  constexpr auto kOp = "index_select";
  const Tensor vector = atleast_1d(x, where);
  const int position = axis_of(kOp, axis, vector.type(), where);
  const Tensor picked = take(vector, index_list(kOp, indices, where), position, where);
  return x.ndim() == 0 && picked.numel() == 1 ? reshape(picked, {}, where) : picked;
}

Tensor index_add(const Tensor& x,
                 int axis,
                 const Tensor& indices,
                 const Tensor& source,
                 const Operand& alpha,
                 Where where) {
  constexpr auto kOp = "index_add";
  const int position = axis_of(kOp, axis, type_of(kOp, x, where), where);
  const bool is_plain = alpha.tensor == nullptr && alpha.is_integer && alpha.integer == 1;
  type_of(kOp, source, where);
  const Tensor scaled =
      is_plain ? source : record_binary(OpKind::mul, {source, where}, alpha, where);
  return scatter_slices(x,
                        position,
                        index_list(kOp, indices, where),
                        cast(scaled, x.dtype(), where),
                        ScatterMode::add,
                        where);
}

Tensor index_copy(
    const Tensor& x, int axis, const Tensor& indices, const Tensor& source, Where where) {
  constexpr auto kOp = "index_copy";
  const int position = axis_of(kOp, axis, type_of(kOp, x, where), where);
  return scatter_slices(x,
                        position,
                        index_list(kOp, indices, where),
                        operand_as(kOp, {source, where}, x.dtype(), where),
                        ScatterMode::set,
                        where);
}

Tensor index_fill(
    const Tensor& x, int axis, const Tensor& indices, const Operand& value, Where where) {
  constexpr auto kOp = "index_fill";
  const int position = axis_of(kOp, axis, type_of(kOp, x, where), where);
  const Tensor list = index_list(kOp, indices, where);
  return detail::put_at(
      x, {{position, list}}, operand_as(kOp, value, x.dtype(), where), ScatterMode::set, where);
}

Tensor gather(const Tensor& x, int axis, const Tensor& indices, Where where) {
  const Tensor vector = row_of("gather", x, where);
  const int position = axis_of("gather", axis, vector.type(), where);
  const Tensor list = row_of("gather", indices, where);
  check_elementwise("gather", vector, position, list, where);
  return reshape(gather_elements(vector, position, list, where), indices.shape(), where);
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis, Where where) {
  constexpr auto kOp = "take_along_axis";
  const int position = axis_of(kOp, axis, type_of(kOp, x, where), where);
  detail::require_integer(kOp, type_of(kOp, indices, where), where);
  Shape beside_x = x.shape();
  Shape beside = indices.shape();
  if (beside.ndim() == x.ndim()) {
    beside_x.set(position, 1);
    beside.set(position, 1);
  }
  const std::optional<Shape> joined = broadcast_shapes(beside_x, beside);
  if (!joined || beside.ndim() != x.ndim()) {
    constexpr auto kText = "indices {} do not broadcast with {} beside axis {}";
    throw Error(
        where, kOp, fmt::format(kText, to_string(indices.type()), to_string(x.type()), position));
  }
  Shape wide = *joined;
  wide.set(position, x.shape()[position]);
  Shape places = *joined;
  places.set(position, indices.shape()[position]);
  const Tensor at =
      detail::wrap_positions(broadcast_to(indices, places, where), wide[position], where);
  return gather_elements(broadcast_to(x, wide, where), position, at, where);
}

Tensor scatter(const Tensor& x,
               int axis,
               const Tensor& indices,
               const Operand& source,
               ScatterMode mode,
               Where where) {
  return scatter_elements("scatter", x, axis, indices, source, mode, where);
}

Tensor scatter_add(
    const Tensor& x, int axis, const Tensor& indices, const Operand& source, Where where) {
  return scatter_elements("scatter_add", x, axis, indices, source, ScatterMode::add, where);
}

Tensor scatter_reduce(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& source,
                      ScatterReduction reduction,
                      bool include_self,
                      Where where) {
  constexpr auto kOp = "scatter_reduce";
  const auto put = [&](const Tensor& into, const Operand& what, ScatterMode mode) {
    return scatter_elements(kOp, into, axis, indices, what, mode, where);
  };
  const DType dtype = type_of(kOp, x, where).dtype;
  const Tensor start = include_self ? x : put(x, identity(reduction, dtype), ScatterMode::set);
  const Tensor reduced = put(start, {source, where}, mode_of(reduction));
  if (reduction != ScatterReduction::mean) return reduced;
  const Tensor one = ones(x.shape(), dtype, where);
  const Tensor count = put(include_self ? one : put(one, 0, ScatterMode::set), 1, ScatterMode::add);
  const Tensor divisor =
      record_binary(OpKind::maximum, {count, where}, {detail::one_of(dtype), where}, where);
  return record_binary(OpKind::div, {reduced, where}, {divisor, where}, where);
}

Tensor take(const Tensor& x, const Tensor& indices, Where where) {
  detail::require_integer("take", type_of("take", indices, where), where);
  type_of("take", x, where);
  return detail::read_at(flatten(x, 0, -1, where), {{0, indices}}, where);
}

Tensor put(
    const Tensor& x, const Tensor& indices, const Operand& values, bool accumulate, Where where) {
  detail::require_integer("put", type_of("put", indices, where), where);
  const Shape& shape = type_of("put", x, where).shape;
  const Tensor flat = detail::put_at(flatten(x, 0, -1, where),
                                     {{0, indices}},
                                     operand_as("put", values, x.dtype(), where),
                                     accumulate ? ScatterMode::add : ScatterMode::set,
                                     where);
  return reshape(flat, shape, where);
}

}  // namespace wick
