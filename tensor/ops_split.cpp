// Cutting and joining.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/axis_range.h"
#include "wick/tensor/axis_windows.h"
#include "wick/tensor/indexing.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"

namespace wick {

using detail::axis_of;
using detail::type_of;

namespace {

/// Neighbouring parts of these sizes, from the first element on.
std::vector<Tensor> cut(const Tensor& x, int axis, const Axes& sizes, Where where) {
  std::vector<Tensor> parts;
  parts.reserve(sizes.size());
  int64_t start = 0;
  for (const int64_t size : sizes) {
    parts.push_back(detail::slice_range(x, axis, {start, size, 1}, where));
    start += size;
  }
  return parts;
}

void require_positive(std::string_view op, std::string_view what, int64_t number, Where where) {
  if (number > 0) return;
  throw Error(where, op, fmt::format("the {} should be positive, got {}", what, number));
}

std::vector<Tensor> split_evenly(
    std::string_view op, const Tensor& x, int64_t size, int axis, Where where) {
  const int64_t extent = x.shape()[axis];
  // No elements are one part without elements.
  if (size == 0 && extent == 0) return {x};
  require_positive(op, "size", size, where);
  Axes sizes(static_cast<size_t>(extent / size), size);
  if (extent % size != 0 || extent == 0) sizes.push_back(extent % size);
  return cut(x, axis, sizes, where);
}

std::vector<Tensor> each(std::span<const Tensor> tensors,
                         Tensor (*change)(const Tensor&, Where),
                         Where where) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors)
    result.push_back(change(tensor, where));
  return result;
}

}  // namespace

std::vector<Tensor> split(const Tensor& x, int64_t size, int axis, Where where) {
  return split_evenly(
      "split", x, size, axis_of("split", axis, type_of("split", x, where), where), where);
}

std::vector<Tensor> split_with_sizes(const Tensor& x, const Axes& sizes, int axis, Where where) {
  constexpr auto kOp = "split_with_sizes";
  const Type& type = type_of(kOp, x, where);
  const int position = axis_of(kOp, axis, type, where);
  int64_t rest = type.shape[position];
  for (const int64_t size : sizes) {
    if (size < 0 || size > rest) {
      rest = -1;
      break;
    }
    rest -= size;
  }
  if (rest != 0) {
    constexpr auto kText = "sizes [{}] do not add up to axis {} of {}";
    throw Error(where, kOp, fmt::format(kText, fmt::join(sizes, ","), position, to_string(type)));
  }
  return cut(x, position, sizes, where);
}

std::vector<Tensor> chunk(const Tensor& x, int64_t count, int axis, Where where) {
  const int position = axis_of("chunk", axis, type_of("chunk", x, where), where);
  require_positive("chunk", "count", count, where);
  const int64_t extent = x.shape()[position];
  // As in PyTorch, an axis without elements is cut all the same.
  if (extent == 0) return cut(x, position, Axes(static_cast<size_t>(count), 0), where);
  return split_evenly("chunk", x, (extent - 1) / count + 1, position, where);
}

std::vector<Tensor> tensor_split(const Tensor& x, int64_t count, int axis, Where where) {
  constexpr auto kOp = "tensor_split";
  const int position = axis_of(kOp, axis, type_of(kOp, x, where), where);
  require_positive(kOp, "count", count, where);
  Axes sizes(static_cast<size_t>(count), x.shape()[position] / count);
  for (int64_t i = 0; i < x.shape()[position] % count; ++i)
    ++sizes[static_cast<size_t>(i)];
  return cut(x, position, sizes, where);
}

std::vector<Tensor> unbind(const Tensor& x, int axis, Where where) {
  const int position = axis_of("unbind", axis, type_of("unbind", x, where), where);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < x.shape()[position]; ++i)
    parts.push_back(select(x, position, i, where));
  return parts;
}

Tensor narrow(const Tensor& x, int axis, int64_t start, int64_t length, Where where) {
  const Type& type = type_of("narrow", x, where);
  const int position = axis_of("narrow", axis, type, where);
  const int64_t extent = type.shape[position];
  const int64_t first = start < 0 ? start + extent : start;
  if (first < 0 || first > extent || length < 0 || length > extent - first) {
    constexpr auto kText = "{} elements from {} on leave axis {} of {}";
    throw Error(where, "narrow", fmt::format(kText, length, start, position, to_string(type)));
  }
  return detail::slice_range(x, position, {length == 0 ? 0 : first, length, 1}, where);
}

Tensor unfold(const Tensor& x, int axis, int64_t size, int64_t step, Where where) {
  const Type& type = type_of("unfold", x, where);
  // A scalar is treated as a vector of one element.
  if (type.shape.ndim() == 0)
    return squeeze(unfold(reshape(x, {1}, where), 0, size, step, where), 0, where);
  const int position = axis_of("unfold", axis, type, where);
  const int64_t extent = type.shape[position];
  if (size < 0 || size > extent || step <= 0) {
    constexpr auto kText = "no windows of {} elements, {} apart, along axis {} of {}";
    throw Error(where, "unfold", fmt::format(kText, size, step, position, to_string(type)));
  }
  const int64_t count = (extent - size) / step + 1;
  const detail::AxisWindows windows{.count = count, .size = size, .stride = step};
  return movedim(detail::windows_of(x, position, windows, where), {position + 1}, {-1}, where);
}

Tensor hstack(std::span<const Tensor> tensors, Where where) {
  const std::vector<Tensor> parts = each(tensors, atleast_1d, where);
  const bool are_vectors = !parts.empty() && parts.front().ndim() == 1;
  return concat(parts, are_vectors ? 0 : 1, where);
}

Tensor vstack(std::span<const Tensor> tensors, Where where) {
  return concat(each(tensors, atleast_2d, where), 0, where);
}

Tensor dstack(std::span<const Tensor> tensors, Where where) {
  return concat(each(tensors, atleast_3d, where), 2, where);
}

Tensor column_stack(std::span<const Tensor> tensors, Where where) {
  const auto column = [](const Tensor& x, Where at) {
    const bool is_flat = type_of("column_stack", x, at).shape.ndim() < 2;
    return is_flat ? reshape(x, {x.numel(), 1}, at) : x;
  };
  return concat(each(tensors, column, where), 1, where);
}

Tensor block(const std::vector<std::vector<Tensor>>& rows, Where where) {
  std::vector<Tensor> joined;
  joined.reserve(rows.size());
  for (const std::vector<Tensor>& row : rows)
    joined.push_back(atleast_2d(concat(each(row, atleast_1d, where), -1, where), where));
  return concat(joined, -2, where);
}

Tensor block_diag(std::span<const Tensor> tensors, Where where) {
  const std::vector<Tensor> blocks = each(tensors, atleast_2d, where);
  int64_t width = 0;
  for (const Tensor& matrix : blocks) {
    if (matrix.ndim() != 2) {
      constexpr auto kText = "needs matrices, got {}";
      throw Error(where, "block_diag", fmt::format(kText, to_string(matrix.type())));
    }
    width += matrix.shape()[1];
  }
  std::vector<Tensor> rows;
  int64_t left = 0;
  for (const Tensor& matrix : blocks) {
    const int64_t right = width - left - matrix.shape()[1];
    rows.push_back(pad(matrix, {0, left}, {0, right}, 0, where));
    left += matrix.shape()[1];
  }
  return concat(rows, 0, where);
}

}  // namespace wick
