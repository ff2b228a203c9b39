#include "wick/tensor/pool_windows.h"

#include <algorithm>

#include <fmt/format.h>

#include "wick/tensor/recording.h"

namespace wick::detail {

namespace {

using ir::OpKind;

int64_t num_windows(const PoolAxis& axis, bool ceil_mode) {
  const int64_t room = axis.extent + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1;
  if (room < 0 && !ceil_mode) return 0;
  const int64_t rounded = room + (ceil_mode ? axis.stride - 1 : 0);
  if (rounded < 0) return 0;
  const int64_t count = rounded / axis.stride + 1;
  // The last window has to begin inside the axis or the padding before it.
  const bool begins_behind = (count - 1) * axis.stride >= axis.extent + axis.padding;
  return ceil_mode && begins_behind ? count - 1 : count;
}

void check_axis(const PoolPlace& place, const Tensor& x, const PoolAxis& axis) {
  if (axis.kernel < 1 || axis.stride < 1 || axis.dilation < 1) {
    constexpr auto kText = "kernel {}, stride {} and dilation {} must be positive";
    place.fail(fmt::format(kText, axis.kernel, axis.stride, axis.dilation));
  }
  if (axis.padding < 0 || axis.padding > axis.kernel / 2) {
    constexpr auto kText = "padding {} must be at most half of kernel {}";
    place.fail(fmt::format(kText, axis.padding, axis.kernel));
  }
  if (axis.count < 1) {
    constexpr auto kText = "a window of {} does not fit into {} with padding {}";
    const int64_t span = axis.dilation * (axis.kernel - 1) + 1;
    place.fail(fmt::format(kText, span, to_string(x.type()), axis.padding));
  }
}

/// The table as i64 with its two axes at `axis` and behind, shaped to broadcast with [windows...].
Tensor table_tensor(const WindowTable& table, int axis, int rank, Where where) {
  std::vector<int64_t> values;
  for (const std::vector<int64_t>& window : table)
    values.insert(values.end(), window.begin(), window.end());
  std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
  extents[static_cast<size_t>(axis)] = std::ssize(table);
  extents[static_cast<size_t>(axis) + 1] = table.empty() ? 1 : std::ssize(table.front());
  return from_vector(values, Shape(std::span<const int64_t>(extents)), where);
}

/// Where a tensor of windows [planes, n1, k1, n2, k2, ...] has the elements of each window.
Axes element_axes(size_t num_tables) {
  Axes axes;
  for (size_t i = 0; i < num_tables; ++i)
    axes.push_back(2 + 2 * static_cast<int64_t>(i));
  return axes;
}

}  // namespace

Axes one_per_axis(const PoolPlace& place, std::string_view name, const Axes& given, int num_axes) {
  if (std::ssize(given) == num_axes) return given;
  if (given.size() == 1) return Axes(static_cast<size_t>(num_axes), given.front());
  constexpr auto kText = "{} must be one number or {}, one an axis, has {}";
  place.fail(fmt::format(kText, name, num_axes, given.size()));
}

void require_pooled(const PoolPlace& place, const Tensor& x, int num_axes) {
  if (!x.defined()) place.fail("x is an undefined tensor");
  const int leading = x.ndim() - num_axes;
  if (!is_float(x.dtype()) || leading < 1 || leading > 2) {
    constexpr auto kText = "x must be floats with {} or {} axes, is {}";
    place.fail(fmt::format(kText, num_axes + 1, num_axes + 2, to_string(x.type())));
  }
  for (int axis = leading == 2 ? 1 : 0; axis < x.ndim(); ++axis) {
    if (x.shape()[axis] != 0) continue;
    place.fail(fmt::format("axis {} of x {} has no elements", axis, to_string(x.type())));
  }
}

std::vector<PoolAxis> pool_axes(const PoolPlace& place,
                                const Tensor& x,
                                int num_axes,
                                const PoolNumbers& numbers) {
  require_pooled(place, x, num_axes);
  const Axes kernel = one_per_axis(place, "kernel", numbers.kernel, num_axes);
  const Axes stride =
      numbers.stride.empty() ? kernel : one_per_axis(place, "stride", numbers.stride, num_axes);
  const Axes padding = one_per_axis(place, "padding", numbers.padding, num_axes);
  const Axes dilation = one_per_axis(place, "dilation", numbers.dilation, num_axes);
  std::vector<PoolAxis> axes;
  for (int i = 0; i < num_axes; ++i) {
    const auto at = static_cast<size_t>(i);
    PoolAxis axis{.extent = x.shape()[x.ndim() - num_axes + i],
                  .kernel = kernel[at],
                  .stride = stride[at],
                  .padding = padding[at],
                  .dilation = dilation[at]};
    axis.count = axis.stride < 1 ? 0 : num_windows(axis, numbers.ceil_mode);
    check_axis(place, x, axis);
    axes.push_back(axis);
  }
  return axes;
}

Tensor to_planes(const Tensor& x, int num_axes, Where where) {
  std::vector<int64_t> extents{1};
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis < x.ndim() - num_axes) {
      extents.front() *= x.shape()[axis];
    } else {
      extents.push_back(x.shape()[axis]);
    }
  }
  return reshape(x, Shape(std::span<const int64_t>(extents)), where);
}

Tensor from_planes(const Tensor& y, const Tensor& x, int num_axes, Where where) {
  std::vector<int64_t> extents(x.shape().begin(), x.shape().end() - num_axes);
  extents.insert(extents.end(), y.shape().begin() + 1, y.shape().end());
  return reshape(y, Shape(std::span<const int64_t>(extents)), where);
}

WindowTable window_table(const PoolAxis& axis) {
  WindowTable table;
  for (int64_t window = 0; window < axis.count; ++window) {
    std::vector<int64_t> positions;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t at = window * axis.stride - axis.padding + k * axis.dilation;
      if (at >= 0 && at < axis.extent) positions.push_back(at);
    }
    if (positions.empty()) positions.push_back(axis.extent - 1);
    positions.resize(static_cast<size_t>(axis.kernel), positions.back());
    table.push_back(std::move(positions));
  }
  return table;
}

WindowTable adaptive_table(int64_t extent, int64_t count) {
  WindowTable table;
  size_t longest = 1;
  for (int64_t window = 0; window < count; ++window) {
    const int64_t first = window * extent / count;
    const int64_t end = ((window + 1) * extent + count - 1) / count;
    std::vector<int64_t> positions;
    for (int64_t at = first; at < end; ++at)
      positions.push_back(at);
    longest = std::max(longest, positions.size());
    table.push_back(std::move(positions));
  }
  for (std::vector<int64_t>& positions : table)
    positions.resize(longest, positions.back());
  return table;
}

IndexedPool max_of_windows(const Tensor& x, const std::vector<WindowTable>& tables, Where where) {
  const auto num_axes = static_cast<int>(tables.size());
  const int rank = 1 + 2 * num_axes;
  const Tensor planes = to_planes(x, num_axes, where);
  Tensor windows = planes;
  Tensor positions;  // of each element of a window in a plane
  Tensor numbers;    // of each element within its window, as argmax counts
  for (int i = 0; i < num_axes; ++i) {
    const WindowTable& table = tables[static_cast<size_t>(i)];
    const Tensor along = table_tensor(table, 1 + 2 * i, rank, where);
    const int64_t kernel = along.shape()[2 + 2 * i];
    const Shape flat{along.shape()[1 + 2 * i], kernel};
    windows = take(windows, reshape(along, flat, where), 1 + 2 * i, where);
    std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
    extents[2 + 2 * static_cast<size_t>(i)] = kernel;
    const Tensor element =
        reshape(arange(kernel, DType::i64, where), Shape(std::span<const int64_t>(extents)), where);
    const int64_t extent = planes.shape()[1 + i];
    positions = i == 0 ? along : Operand(positions, where) * extent + Operand(along, where);
    numbers = i == 0 ? element : Operand(numbers, where) * kernel + Operand(element, where);
  }
  const Axes axes = element_axes(tables.size());
  const Tensor operands[] = {windows};
  const Tensor largest =
      record(OpKind::argmax, operands, {{"axes", axes}, {"keepdims", true}}, where);
  const Tensor is_largest = Operand(numbers, where) == largest;
  const Tensor chosen =
      sum(wick::where(is_largest, positions, Operand(0, where)), axes, false, where);

  const int64_t num_planes = planes.shape()[0];
  const int64_t size = num_planes == 0 ? 0 : planes.numel() / num_planes;
  std::vector<int64_t> column(static_cast<size_t>(num_axes) + 1, 1);
  column.front() = num_planes;
  const Tensor starts = reshape(Operand(arange(num_planes, DType::i64, where), where) * size,
                                Shape(std::span<const int64_t>(column)),
                                where);
  const Tensor flat = reshape(x, {x.numel()}, where);
  const Tensor values = take(flat, Operand(starts, where) + chosen, 0, where);
  return {from_planes(values, x, num_axes, where), from_planes(chosen, x, num_axes, where)};
}

}  // namespace wick::detail
