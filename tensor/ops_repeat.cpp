// Repeating.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"

namespace wick {

using detail::axis_of;
using detail::to_axes;
using detail::type_of;

namespace {

void require_counts(std::string_view op, const Axes& counts, Where where) {
  const auto negative = std::ranges::find_if(counts, [](int64_t count) { return count < 0; });
  if (negative == counts.end()) return;
  throw Error(where, op, fmt::format("cannot repeat {} times", *negative));
}

/// Axis i, `outer` times as a whole if before it, else each element.
Tensor repeat_axis(const Tensor& x, int axis, int64_t count, Where where) {
  Axes stretched = to_axes(x.shape());
  stretched.insert(stretched.begin() + axis + 1, count);
  Tensor repeated = unsqueeze(x, axis + 1, where);
  repeated = broadcast_to(repeated, Shape(stretched), where);
  return flatten(repeated, axis, axis + 1, where);
}

/// Of each position as often as its count says.
std::vector<int64_t> repeated_positions(const std::vector<int64_t>& counts, Where where) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < counts.size(); ++i) {
    require_counts("repeat_interleave", {counts[i]}, where);
    positions.insert(positions.end(), static_cast<size_t>(counts[i]), static_cast<int64_t>(i));
  }
  return positions;
}

}  // namespace

Tensor tile(const Tensor& x, const Axes& repeats, Where where) {
  type_of("tile", x, where);
  require_counts("tile", repeats, where);
  const size_t rank = std::max(repeats.size(), static_cast<size_t>(x.ndim()));
  Axes extents = to_axes(x.shape());
  extents.insert(extents.begin(), rank - extents.size(), 1);
  Axes counts = repeats;
  counts.insert(counts.begin(), rank - counts.size(), 1);
  // An axis that repeats becomes two, the outer one stretched.
  Axes apart;
  Axes stretched;
  for (size_t i = 0; i < rank; ++i) {
    if (counts[i] != 1) {
      apart.push_back(1);
      stretched.push_back(counts[i]);
    }
    apart.push_back(extents[i]);
    stretched.push_back(extents[i]);
  }
  const Tensor repeated = broadcast_to(reshape(x, Shape(apart), where), Shape(stretched), where);
  for (size_t i = 0; i < rank; ++i)
    extents[i] *= counts[i];  // does not overflow: `stretched` has been checked
  return reshape(repeated, Shape(extents), where);
}

Tensor repeat(const Tensor& x, const Axes& repeats, Where where) {
  const Type& type = type_of("repeat", x, where);
  if (std::ssize(repeats) < type.shape.ndim()) {
    constexpr auto kText = "[{}] should have a number for each axis of {}";
    throw Error(where, "repeat", fmt::format(kText, fmt::join(repeats, ","), to_string(type)));
  }
  return tile(x, repeats, where);
}

Tensor repeat_interleave(const Tensor& x, int64_t repeats, std::optional<int> axis, Where where) {
  constexpr auto kOp = "repeat_interleave";
  const Type& type = type_of(kOp, x, where);
  require_counts(kOp, {repeats}, where);
  if (!axis) return repeat_axis(flatten(x, 0, -1, where), 0, repeats, where);
  return repeat_axis(x, axis_of(kOp, *axis, type, where), repeats, where);
}

Tensor repeat_interleave(const Tensor& x,
                         const Tensor& repeats,
                         std::optional<int> axis,
                         Where where) {
  constexpr auto kOp = "repeat_interleave";
  const Tensor base = axis ? x : flatten(x, 0, -1, where);
  const int position = axis_of(kOp, axis.value_or(0), type_of(kOp, base, where), where);
  const Type& type = type_of(kOp, repeats, where);
  detail::require_integer(kOp, type, where);
  const int64_t extent = base.shape()[position];
  if (type.shape.ndim() > 1 || (type.numel() != 1 && type.numel() != extent)) {
    constexpr auto kText = "{} should have a number for each position of axis {} of {}";
    throw Error(where, kOp, fmt::format(kText, to_string(type), position, to_string(base.type())));
  }
  std::vector<int64_t> counts = repeats.to_vector<int64_t>(where);
  counts.resize(static_cast<size_t>(extent), counts.empty() ? 0 : counts.front());
  const std::vector<int64_t> positions = repeated_positions(counts, where);
  return take(base, from_vector(positions, {std::ssize(positions)}, where), position, where);
}

Tensor expand(const Tensor& x, Shape shape, Where where) {
  const Type& type = type_of("expand", x, where);
  const int added = shape.ndim() - type.shape.ndim();
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (shape[axis] != -1) continue;
    if (axis < added) {
      constexpr auto kText = "axis {} of shape {} is not one of {}";
      throw Error(where, "expand", fmt::format(kText, axis, to_string(shape), to_string(type)));
    }
    shape.set(axis, type.shape[axis - added]);
  }
  return broadcast_to(x, std::move(shape), where);
}

std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors, Where where) {
  Shape joined;
  for (const Tensor& tensor : tensors) {
    const Type& type = type_of("broadcast_tensors", tensor, where);
    const std::optional<Shape> next = broadcast_shapes(joined, type.shape);
    if (!next) {
      constexpr auto kText = "{} does not broadcast with those before it, {}";
      throw Error(
          where, "broadcast_tensors", fmt::format(kText, to_string(type), to_string(joined)));
    }
    joined = *next;
  }
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors)
    result.push_back(broadcast_to(tensor, joined, where));
  return result;
}

std::vector<Tensor> meshgrid(std::span<const Tensor> tensors, GridIndexing indexing, Where where) {
  const size_t rank = tensors.size();
  const auto axis_for = [&](size_t i) {
    const bool is_swapped = indexing == GridIndexing::xy && rank > 1 && i < 2;
    return is_swapped ? 1 - i : i;
  };
  Axes grid(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Type& type = type_of("meshgrid", tensors[i], where);
    if (type.shape.ndim() > 1) {
      throw Error(where, "meshgrid", fmt::format("needs vectors, got {}", to_string(type)));
    }
    grid[axis_for(i)] = type.numel();
  }
  std::vector<Tensor> result;
  result.reserve(rank);
  for (size_t i = 0; i < rank; ++i) {
    Axes extents(rank, 1);
    extents[axis_for(i)] = grid[axis_for(i)];
    result.push_back(broadcast_to(reshape(tensors[i], Shape(extents), where), Shape(grid), where));
  }
  return result;
}

}  // namespace wick
