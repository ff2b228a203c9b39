#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "wick/tensor/axis_range.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/promotion.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::axis_of;
using detail::node_of;
using detail::normalize_axis;
using detail::record_nodes;
using detail::record_unary;
using detail::share;
using detail::to_axes;
using detail::to_shape;
using detail::type_of;
using ir::OpKind;

namespace {

/// Error unless an axis can be inserted here.
void require_place(std::string_view op, int axis, const Type& type, Where where) {
  const int rank = type.shape.ndim() + 1;
  if (axis >= -rank && axis < rank) return;
  throw Error(where, op, fmt::format("cannot insert axis {} into {}", axis, to_string(type)));
}

/// The shape with its -1, if any, replaced by what remains of x.
Shape resolve_shape(const Type& type, Shape shape, Where where) {
  int free_axis = -1;
  int64_t known = 1;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] != -1) {
      if (__builtin_mul_overflow(known, shape[axis], &known)) {
        throw Error(
            where, "reshape", fmt::format("shape {} has too many elements", to_string(shape)));
      }
    } else if (free_axis == -1) {
      free_axis = axis;
    } else {
      throw Error(where, "reshape", fmt::format("shape {} has two free extents", to_string(shape)));
    }
  }
  if (free_axis == -1) return shape;
  if (known <= 0 || type.numel() % known != 0) {
    constexpr auto kText = "{} does not divide into shape {}";
    throw Error(where, "reshape", fmt::format(kText, to_string(type), to_string(shape)));
  }
  shape.set(free_axis, type.numel() / known);
  return shape;
}

constexpr size_t kDeviceAlignment = 64;  // kernels of a GPU read vectors

/// The elements from byte `begin` on. Where a GPU could not read them there, they are copied.
Ref<runtime::Buffer> part_of(const Ref<runtime::Buffer>& whole,
                             size_t begin,
                             const Type& type,
                             Where where) {
  runtime::DeviceMemory* const device = whole->device_memory();
  const size_t bytes = type.num_bytes();
  if (device == nullptr || begin % kDeviceAlignment == 0)
    return runtime::Buffer::part_of(whole, begin, bytes);
  Ref<runtime::Buffer> copy =
      runtime::Buffer::allocate(*device, bytes, {.purpose = "copy", .op = "slice", .where = where});
  device->copy(copy->data(), static_cast<const std::byte*>(whole->data()) + begin, bytes);
  return copy;
}

/// Consecutive elements of a computed tensor need no program: the result refers to x's memory. So
/// a batch's position in its data set is no part of any trace.
std::optional<Tensor> view_of(
    const Tensor& x, int axis, int64_t start, int64_t count, Where where) {
  detail::Node& node = *x.node();
  runtime::Buffer* const buffer = node.value();
  if (buffer == nullptr || node.keeps_history()) return std::nullopt;
  if (node.requires_grad() && detail::grad_mode()) return std::nullopt;
  int64_t stride = static_cast<int64_t>(size_of(node.type().dtype));
  for (int i = 0; i < x.ndim(); ++i) {
    if (i < axis && x.shape()[i] != 1) return std::nullopt;
    if (i > axis) stride *= x.shape()[i];
  }
  Type type = node.type();
  type.shape.set(axis, count);
  Ref<runtime::Buffer> part =
      part_of(Ref<runtime::Buffer>(buffer), static_cast<size_t>(start * stride), type, where);
  return Tensor(detail::Node::leaf(std::move(type), std::move(part), where));
}

}  // namespace

namespace detail {

AxisRange axis_range(std::string_view op,
                     int64_t extent,
                     std::optional<int64_t> start,
                     std::optional<int64_t> stop,
                     int64_t step,
                     Where where) {
  if (step == 0) throw Error(where, op, "the step is 0");
  // The lowest step has no opposite; no walk tells it from its neighbour.
  step = std::max(step, -std::numeric_limits<int64_t>::max());
  // Where a walk may begin or stop.
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? extent : extent - 1;
  const auto bound = [&](std::optional<int64_t> at, int64_t absent) {
    if (!at) return absent;
    return std::clamp(*at < 0 ? std::max<int64_t>(*at + extent, low) : *at, low, high);
  };
  const int64_t first = bound(start, step > 0 ? low : high);
  const int64_t last = bound(stop, step > 0 ? high : low);
  const int64_t span = step > 0 ? last - first : first - last;
  if (span <= 0) return {0, 0, step};
  return {first, (span - 1) / std::abs(step) + 1, step};
}

Tensor slice_range(const Tensor& x, int axis, const AxisRange& range, Where where) {
  const auto& [start, count, step] = range;
  if (start == 0 && step == 1 && count == x.shape()[axis]) return x;
  if (step == 1) {
    if (std::optional<Tensor> view = view_of(x, axis, start, count, where)) return *view;
  }
  Axes starts(static_cast<size_t>(x.ndim()), 0);
  Axes steps(static_cast<size_t>(x.ndim()), 1);
  Axes sizes = to_axes(x.shape());
  starts[static_cast<size_t>(axis)] = start;
  steps[static_cast<size_t>(axis)] = step;
  sizes[static_cast<size_t>(axis)] = count;
  return record_unary(
      OpKind::slice, x, where, share({{"sizes", sizes}, {"starts", starts}, {"steps", steps}}));
}

}  // namespace detail

Tensor broadcast_to(const Tensor& x, Shape shape, Where where) {
  if (node_of(OpKind::broadcast, x, 1, where)->type().shape == shape) return x;
  return record_unary(OpKind::broadcast, x, where, share({{"shape", shape.extents()}}));
}

Tensor reshape(const Tensor& x, Shape shape, Where where) {
  shape = resolve_shape(node_of(OpKind::reshape, x, 1, where)->type(), std::move(shape), where);
  if (x.shape() == shape) return x;
  return record_unary(OpKind::reshape, x, where, share({{"shape", shape.extents()}}));
}

Tensor flatten(const Tensor& x, int start, int end, Where where) {
  const Type& type = type_of("flatten", x, where);
  if (type.shape.ndim() == 0) return reshape(x, {1}, where);
  const int first = axis_of("flatten", start, type, where);
  const int last = axis_of("flatten", end, type, where);
  if (first > last) {
    constexpr auto kText = "cannot flatten axes {} to {} of {}";
    throw Error(where, "flatten", fmt::format(kText, start, end, to_string(type)));
  }
  Axes extents;
  int64_t joined = 1;
  for (int axis = 0; axis < type.shape.ndim(); ++axis) {
    if (axis < first || axis > last) {
      extents.push_back(type.shape[axis]);
      continue;
    }
    joined *= type.shape[axis];
    if (axis == last) extents.push_back(joined);
  }
  return reshape(x, to_shape(extents), where);
}

Tensor permute(const Tensor& x, Axes axes, Where where) {
  const Type& type = node_of(OpKind::permute, x, 1, where)->type();
  for (int64_t& axis : axes)
    axis = normalize_axis(OpKind::permute, axis, type, where);
  if (std::ssize(axes) == type.shape.ndim() && std::ranges::is_sorted(axes) &&
      std::ranges::adjacent_find(axes) == axes.end()) {
    return x;
  }
  return record_unary(OpKind::permute, x, where, share({{"axes", axes}}));
}

Tensor transpose(const Tensor& x, int a, int b, Where where) {
  const Type& type = node_of(OpKind::permute, x, 1, where)->type();
  const int first = normalize_axis(OpKind::permute, a, type, where);
  const int second = normalize_axis(OpKind::permute, b, type, where);
  Axes axes;
  for (int axis = 0; axis < type.shape.ndim(); ++axis)
    axes.push_back(axis);
  std::swap(axes[static_cast<size_t>(first)], axes[static_cast<size_t>(second)]);
  return permute(x, std::move(axes), where);
}

Tensor unsqueeze(const Tensor& x, int axis, Where where) {
  const Type& type = type_of("unsqueeze", x, where);
  const int rank = type.shape.ndim() + 1;
  require_place("unsqueeze", axis, type, where);
  Axes extents = to_axes(type.shape);
  extents.insert(extents.begin() + (axis < 0 ? axis + rank : axis), 1);
  return reshape(x, to_shape(extents), where);
}

Tensor squeeze(const Tensor& x, int axis, Where where) {
  const Type& type = type_of("squeeze", x, where);
  const int position = axis_of("squeeze", axis, type, where);
  if (type.shape[position] != 1) {
    constexpr auto kText = "cannot remove axis {} of {}, whose extent is {}";
    throw Error(where, "squeeze", fmt::format(kText, axis, to_string(type), type.shape[position]));
  }
  Axes extents = to_axes(type.shape);
  extents.erase(extents.begin() + position);
  return reshape(x, to_shape(extents), where);
}

Tensor slice(const Tensor& x, int axis, int64_t start, int64_t stop, int64_t step, Where where) {
  const Type& type = node_of(OpKind::slice, x, 1, where)->type();
  const int position = normalize_axis(OpKind::slice, axis, type, where);
  const int64_t extent = type.shape[position];
  return detail::slice_range(
      x, position, detail::axis_range("slice", extent, start, stop, step, where), where);
}

Tensor select(const Tensor& x, int axis, int64_t index, Where where) {
  const Type& type = type_of("select", x, where);
  const int position = axis_of("select", axis, type, where);
  const int64_t extent = type.shape[position];
  if (index < -extent || index >= extent) {
    constexpr auto kText = "index {} is out of range for axis {} of {}";
    throw Error(where, "select", fmt::format(kText, index, axis, to_string(type)));
  }
  const int64_t start = index < 0 ? index + extent : index;
  const Tensor one = detail::slice_range(x, position, {start, 1, 1}, where);
  return squeeze(one, position, where);
}

Tensor concat(std::span<const Tensor> tensors, int axis, Where where) {
  if (tensors.empty()) throw Error(where, "concat", "no tensors");
  std::vector<Ref<detail::Node>> nodes;
  nodes.reserve(tensors.size());
  for (const Tensor& tensor : detail::promoted("concat", tensors, where))
    nodes.push_back(tensor.node());
  const int64_t position = normalize_axis(OpKind::concat, axis, nodes.front()->type(), where);
  return record_nodes(OpKind::concat, nodes, share({{"axis", position}}), where);
}

Tensor concat(std::initializer_list<Tensor> tensors, int axis, Where where) {
  return concat(std::span(tensors.begin(), tensors.size()), axis, where);
}

Tensor stack(std::span<const Tensor> tensors, int axis, Where where) {
  if (tensors.empty()) throw Error(where, "stack", "no tensors");
  const Type& first = type_of("stack", tensors.front(), where);
  require_place("stack", axis, first, where);
  std::vector<Tensor> lifted;
  lifted.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    const Type& type = type_of("stack", tensor, where);
    if (type.shape != first.shape) {
      constexpr auto kText = "shapes differ: {} and {}";
      throw Error(where, "stack", fmt::format(kText, to_string(first), to_string(type)));
    }
    lifted.push_back(unsqueeze(tensor, axis, where));
  }
  return concat(lifted, axis, where);
}

Tensor pad(const Tensor& x, Axes low, Axes high, double value, Where where) {
  const Ref<detail::Node>& node = node_of(OpKind::pad, x, 1, where);
  const Ref<detail::Node> operands[] = {
      node, detail::number_node(OpKind::pad, value, node->type(), where)};
  Axes interior(static_cast<size_t>(x.ndim()), 0);
  return record_nodes(
      OpKind::pad, operands, share({{"high", high}, {"interior", interior}, {"low", low}}), where);
}

Tensor take(const Tensor& x, const Tensor& indices, int axis, Where where) {
  const Ref<detail::Node> operands[] = {node_of(OpKind::gather, x, 1, where),
                                        node_of(OpKind::gather, indices, 2, where)};
  const int64_t position = normalize_axis(OpKind::gather, axis, x.type(), where);
  return record_nodes(OpKind::gather, operands, share({{"axis", position}}), where);
}

Tensor one_hot(const Tensor& indices, int64_t num_classes, DType dtype, Where where) {
  const Type& type = type_of("one_hot", indices, where);
  if (!is_integer(type.dtype) || num_classes < 0) {
    constexpr auto kText = "cannot encode {} in {} classes";
    throw Error(where, "one_hot", fmt::format(kText, to_string(type), num_classes));
  }
  const Tensor column = unsqueeze(indices, -1, where);
  const Tensor classes = cast(arange(num_classes, DType::i64, where), type.dtype, where);
  return cast(
      detail::record_binary(OpKind::eq, {column, where}, {classes, where}, where), dtype, where);
}

}  // namespace wick
