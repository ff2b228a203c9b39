// Triangles and diagonals, positions and differences.

#include <algorithm>

#include <fmt/format.h>

#include "wick/tensor/axis_range.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::axes_of;
using detail::axis_of;
using detail::record_binary;
using detail::to_axes;
using detail::type_of;
using ir::OpKind;

namespace {

/// Whether element (i, j) of the last two axes has j - i <= offset.
Tensor is_at_or_below(const Tensor& x, int64_t offset, Where where) {
  const int64_t rows = x.shape()[x.ndim() - 2];
  const int64_t columns = x.shape()[x.ndim() - 1];
  const int64_t bounded = std::clamp(offset, -rows - 1, columns);
  const Tensor row = unsqueeze(arange(rows, DType::i64, where), 1, where);
  const Tensor diagonal = record_binary(OpKind::add, {row, where}, {bounded, where}, where);
  const Tensor column = arange(columns, DType::i64, where);
  return record_binary(OpKind::le, {column, where}, {diagonal, where}, where);
}

/// The columns that tril keeps of a row, from 0 on; triu keeps the others of offset + 1.
int64_t columns_below(int64_t row, int64_t columns, int64_t offset) {
  // Beyond these an offset changes nothing; within them nothing overflows.
  return std::clamp<int64_t>(std::clamp(offset, -row - 1, columns) + row + 1, 0, columns);
}

template <typename Range>
Tensor positions_of(
    std::string_view op, int64_t rows, int64_t columns, const Range& range, Where where) {
  detail::require_shape(op, {rows, columns}, where);
  std::vector<int64_t> positions;
  std::vector<int64_t> column_list;
  for (int64_t row = 0; row < rows; ++row) {
    const auto [first, last] = range(row);
    for (int64_t column = first; column < last; ++column) {
      positions.push_back(row);
      column_list.push_back(column);
    }
  }
  const int64_t count = std::ssize(positions);
  positions.insert(positions.end(), column_list.begin(), column_list.end());
  return from_vector(positions, {2, count}, where);
}

/// Extent of the smallest square matrix with `length` elements on the diagonal.
int64_t square_around(int64_t length, int64_t offset, Where where) {
  int64_t extent = 0;
  int64_t area = 0;
  const bool overflow = (offset < 0 ? __builtin_sub_overflow(length, offset, &extent)
                                    : __builtin_add_overflow(length, offset, &extent)) ||
                        __builtin_mul_overflow(extent, extent + 1, &area);
  if (overflow) {
    constexpr auto kText = "a matrix with {} elements on diagonal {} is too large";
    throw Error(where, "diag_embed", fmt::format(kText, length, offset));
  }
  return extent;
}

}  // namespace

Tensor tril(const Tensor& x, int64_t offset, Where where) {
  detail::require_rank("tril", 2, type_of("tril", x, where), where);
  const Tensor zero = detail::zero_of(x.dtype());
  return detail::record_where(is_at_or_below(x, offset, where), {x, where}, {zero, where}, where);
}

Tensor triu(const Tensor& x, int64_t offset, Where where) {
  detail::require_rank("triu", 2, type_of("triu", x, where), where);
  const int64_t below = std::max(offset, -x.shape()[x.ndim() - 2]) - 1;
  const Tensor zero = detail::zero_of(x.dtype());
  return detail::record_where(is_at_or_below(x, below, where), {zero, where}, {x, where}, where);
}

Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset, Where where) {
  const auto kept = [&](int64_t row) {
    return std::pair(int64_t{0}, columns_below(row, columns, offset));
  };
  return positions_of("tril_indices", rows, columns, kept, where);
}

Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset, Where where) {
  const auto kept = [&](int64_t row) {
    return std::pair(columns_below(row, columns, std::max(offset, -rows) - 1), columns);
  };
  return positions_of("triu_indices", rows, columns, kept, where);
}

Tensor diagonal(const Tensor& x, int64_t offset, int a, int b, Where where) {
  const Type& type = type_of("diagonal", x, where);
  const Axes plane = axes_of("diagonal", {a, b}, type, where);
  const Tensor moved = movedim(x, plane, {-2, -1}, where);
  const int64_t rows = moved.shape()[x.ndim() - 2];
  const int64_t columns = moved.shape()[x.ndim() - 1];
  const int64_t row = std::clamp<int64_t>(-std::max(offset, -rows), 0, rows);
  const int64_t column = std::clamp<int64_t>(offset, 0, columns);
  const int64_t count = std::min(rows - row, columns - column);
  // In row-major order the next element of a diagonal is a row and a column further.
  return detail::slice_range(flatten(moved, -2, -1, where),
                             x.ndim() - 2,
                             {count == 0 ? 0 : row * columns + column, count, columns + 1},
                             where);
}

Tensor diag_embed(const Tensor& x, int64_t offset, int a, int b, Where where) {
  const Type& type = type_of("diag_embed", x, where);
  detail::require_rank("diag_embed", 1, type, where);
  Axes extents = to_axes(type.shape);
  const int64_t length = extents.back();
  const int64_t extent = square_around(length, offset, where);
  extents.insert(extents.end() - 1, extent);
  extents.back() = extent;
  const Axes plane = axes_of("diag_embed", {a, b}, {type.dtype, Shape(extents)}, where);
  // The way back from `diagonal`: so many elements between those of the diagonal.
  const int64_t before = offset < 0 ? -offset * extent : offset;
  const int64_t spread = length == 0 ? 0 : (length - 1) * (extent + 1) + 1;
  Axes low(static_cast<size_t>(x.ndim()), 0);
  Axes high = low;
  Axes interior = low;
  low.back() = length == 0 ? 0 : before;
  high.back() = extent * extent - spread - low.back();
  interior.back() = extent;
  const Ref<detail::Node> operands[] = {x.node(), detail::shared_constant(type.dtype, int64_t{0})};
  const Tensor flat =
      detail::record_nodes(OpKind::pad,
                           operands,
                           detail::share({{"high", high}, {"interior", interior}, {"low", low}}),
                           where);
  return movedim(reshape(flat, Shape(extents), where), {-2, -1}, plane, where);
}

Tensor diag(const Tensor& x, int64_t offset, Where where) {
  const Type& type = type_of("diag", x, where);
  if (type.shape.ndim() == 1) return diag_embed(x, offset, -2, -1, where);
  if (type.shape.ndim() == 2) return diagonal(x, offset, 0, 1, where);
  throw Error(where, "diag", fmt::format("needs a vector or a matrix, got {}", to_string(type)));
}

Tensor trace(const Tensor& x, int64_t offset, int a, int b, Where where) {
  detail::require_rank("trace", 2, type_of("trace", x, where), where);
  return sum(diagonal(x, offset, a, b, where), {-1}, false, where);
}

std::vector<Tensor> unravel_index(const Tensor& positions, const Shape& shape, Where where) {
  detail::require_integer("unravel_index", type_of("unravel_index", positions, where), where);
  detail::require_shape("unravel_index", shape, where);
  std::vector<Tensor> result(static_cast<size_t>(shape.ndim()));
  Tensor rest = positions;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    const Operand extent(shape[axis], where);
    result[static_cast<size_t>(axis)] = record_binary(OpKind::rem, {rest, where}, extent, where);
    rest = record_binary(OpKind::div, {rest, where}, extent, where);
  }
  return result;
}

Tensor ravel_multi_index(std::span<const Tensor> positions, const Shape& shape, Where where) {
  constexpr auto kOp = "ravel_multi_index";
  if (std::ssize(positions) != shape.ndim() || positions.empty()) {
    constexpr auto kText = "{} tensors for the axes of {}";
    throw Error(where, kOp, fmt::format(kText, positions.size(), to_string(shape)));
  }
  Tensor linear;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const Tensor& position = positions[static_cast<size_t>(axis)];
    detail::require_integer(kOp, type_of(kOp, position, where), where);
    const Tensor wide = cast(position, DType::i64, where);
    if (!linear.defined()) {
      linear = wide;
      continue;
    }
    const Tensor row = record_binary(OpKind::mul, {linear, where}, {shape[axis], where}, where);
    linear = record_binary(OpKind::add, {row, where}, {wide, where}, where);
  }
  return linear;
}

Tensor diff(const Tensor& x, int64_t n, int axis, Where where) {
  const Type& type = type_of("diff", x, where);
  const int position = axis_of("diff", axis, type, where);
  if (n < 0) throw Error(where, "diff", fmt::format("cannot take differences {} times", n));
  const OpKind op = type.dtype == DType::bool_ ? OpKind::ne : OpKind::sub;
  Tensor result = x;
  for (int64_t i = 0; i < n && result.shape()[position] > 0; ++i) {
    const int64_t count = result.shape()[position] - 1;
    const Tensor next =
        detail::slice_range(result, position, {count == 0 ? 0 : int64_t{1}, count, 1}, where);
    const Tensor previous = detail::slice_range(result, position, {0, count, 1}, where);
    result = record_binary(op, {next, where}, {previous, where}, where);
  }
  return result;
}

}  // namespace wick
