#include "wick/tensor/index_positions.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/scan.h"

namespace wick::detail {

using ir::OpKind;

namespace {

Tensor binary(OpKind op, const Operand& a, const Operand& b, Where where) {
  return record_binary(op, a, b, where);
}

/// One index tensor at one axis, which stands for several, of a tensor whose axes were permuted.
struct JoinedPositions {
  Tensor x;
  int axis = 0;
  Tensor positions;
  Axes order;   // of x's axes; empty where they stayed
  Shape shape;  // of x with these axes apart
};

/// put_at with one mask, which does not need to know how many elements that is.
Tensor put_masked(const Tensor& x,
                  const AxisPositions& masked,
                  const Tensor& value,
                  ScatterMode mode,
                  Where where) {
  const auto& [axis, mask] = masked;
  const int after = x.ndim() - axis - 1;
  Tensor spread = value;
  // With an element for each picked one, each position needs to know which it is.
  if (const int along = value.ndim() - after - 1; along >= 0 && value.shape()[along] != 1) {
    if (value.shape()[along] == 0) return x;
    spread = take(value, true_ordinals(mask, where), along, where);
  }
  Axes beside(static_cast<size_t>(after) + 1, 1);
  beside[0] = mask.numel();
  const Tensor picks = reshape(mask, Shape(beside), where);
  spread = broadcast_to(spread, x.shape(), where);
  const bool adds = mode == ScatterMode::add;
  const Tensor rest = adds ? zero_of(x.dtype()) : x;
  const Tensor chosen = record_where(picks, {spread, where}, {rest, where}, where);
  return adds ? binary(OpKind::add, {x, where}, {chosen, where}, where) : chosen;
}

Tensor resolved(const Tensor& positions, int64_t extent, Where where) {
  return positions.dtype() == DType::bool_ ? true_positions(positions, where)
                                           : wrap_positions(positions, extent, where);
}

bool are_neighbours(const std::vector<AxisPositions>& positions) {
  return positions.back().axis - positions.front().axis + 1 == std::ssize(positions);
}

/// All axes, the indexed ones first.
Axes indexed_first(const std::vector<AxisPositions>& positions, int rank) {
  Axes order;
  for (const AxisPositions& at : positions)
    order.push_back(at.axis);
  for (int axis = 0; axis < rank; ++axis) {
    if (std::ranges::find(positions, axis, &AxisPositions::axis) == positions.end()) {
      order.push_back(axis);
    }
  }
  return order;
}

void check_broadcast(const std::vector<AxisPositions>& positions,
                     const std::vector<Tensor>& tensors,
                     Where where) {
  Shape joined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::optional<Shape> next = broadcast_shapes(joined, tensors[i].shape());
    if (!next) {
      constexpr auto kText =
          "the index at axis {}, {}, does not broadcast with those before it, {}";
      throw Error(
          where,
          "index",
          fmt::format(kText, positions[i].axis, to_string(tensors[i].type()), to_string(joined)));
    }
    joined = *next;
  }
}

/// The row-major position within neighbouring axes. Of positions that do not exist, the nearest, or
/// -1 if `drop`.
Tensor linear_positions(
    const Tensor& x, int axis, const std::vector<Tensor>& tensors, bool drop, Where where) {
  Tensor linear;
  Tensor exists;
  for (const Tensor& tensor : tensors) {
    const int64_t extent = x.shape()[axis++];
    const Tensor wide = cast(tensor, DType::i64, where);
    const Tensor low = binary(OpKind::maximum, {wide, where}, {int64_t{0}, where}, where);
    const Tensor near = binary(OpKind::minimum, {low, where}, {extent - 1, where}, where);
    if (drop) {
      const Tensor inside = binary(OpKind::eq, {near, where}, {wide, where}, where);
      exists = exists.defined() ? binary(OpKind::bit_and, {exists, where}, {inside, where}, where)
                                : inside;
    }
    if (!linear.defined()) {
      linear = near;
      continue;
    }
    const Tensor rows = binary(OpKind::mul, {linear, where}, {extent, where}, where);
    linear = binary(OpKind::add, {rows, where}, {near, where}, where);
  }
  return drop ? record_where(exists, {linear, where}, {int64_t{-1}, where}, where) : linear;
}

JoinedPositions join(const Tensor& x,
                     const std::vector<AxisPositions>& positions,
                     bool drop,
                     Where where) {
  std::vector<Tensor> tensors;
  tensors.reserve(positions.size());
  for (const auto& [axis, tensor] : positions)
    tensors.push_back(resolved(tensor, x.shape()[axis], where));
  JoinedPositions joined{x, positions.front().axis, tensors.front(), {}, x.shape()};
  if (tensors.size() == 1) return joined;
  check_broadcast(positions, tensors, where);
  if (!are_neighbours(positions)) {
    joined.order = indexed_first(positions, x.ndim());
    joined.x = permute(x, joined.order, where);
    joined.axis = 0;
    joined.shape = joined.x.shape();
  }
  joined.positions = linear_positions(joined.x, joined.axis, tensors, drop, where);
  joined.x = flatten(
      joined.x, joined.axis, joined.axis + static_cast<int>(std::ssize(tensors)) - 1, where);
  return joined;
}

}  // namespace

Tensor true_positions(const Tensor& mask, Where where) {
  // The count decides shapes, so it is needed here; while at it, so are the positions.
  materialize({mask}, where);
  const std::span<const bool> elements = mask.data<bool>(where);
  const auto count = static_cast<size_t>(std::ranges::count(elements, true));
  std::vector<int64_t> positions(count + 1);  // the next place is written, true or not
  size_t found = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    positions[found] = static_cast<int64_t>(i);
    found += elements[i] ? 1 : 0;
  }
  positions.pop_back();
  return from_vector(positions, {std::ssize(positions)}, where);
}

Tensor true_ordinals(const Tensor& mask, Where where) {
  const Tensor counts = cast(flatten(mask, 0, -1, where), DType::i64, where);
  const Tensor so_far = scan(counts, 0, "sum", where);
  return binary(OpKind::sub, {so_far, where}, {int64_t{1}, where}, where);
}

Tensor wrap_positions(const Tensor& positions, int64_t extent, Where where) {
  const DType dtype = positions.dtype();
  const bool is_index = dtype == DType::i32 || dtype == DType::i64;
  const Tensor wide = is_index ? positions : cast(positions, DType::i64, where);
  if (dtype == DType::u8) return wide;
  const bool fits = dtype != DType::i32 || extent <= std::numeric_limits<int32_t>::max();
  const Tensor index = fits ? wide : cast(wide, DType::i64, where);
  const Tensor from_end = binary(OpKind::add, {index, where}, {extent, where}, where);
  const Tensor is_negative = binary(OpKind::lt, {index, where}, {int64_t{0}, where}, where);
  return record_where(is_negative, {from_end, where}, {index, where}, where);
}

Tensor read_at(const Tensor& x, const std::vector<AxisPositions>& positions, Where where) {
  const JoinedPositions joined = join(x, positions, /*drop=*/false, where);
  return take(joined.x, joined.positions, joined.axis, where);
}

Tensor record_scatter(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& updates,
                      ScatterMode mode,
                      bool along,
                      Where where) {
  constexpr std::string_view kModes[] = {"set", "add", "mul", "max", "min"};
  ir::Attributes attributes{{"axis", int64_t{axis}}};
  if (mode != ScatterMode::add) {
    attributes.set("mode", std::string(kModes[static_cast<size_t>(mode)]));
  }
  if (along) attributes.set("along", true);
  const Ref<Node> operands[] = {x.node(), indices.node(), updates.node()};
  return record_nodes(OpKind::scatter, operands, share(std::move(attributes)), where);
}

Tensor scatter_slices(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& updates,
                      ScatterMode mode,
                      Where where) {
  return record_scatter(x, axis, indices, updates, mode, /*along=*/false, where);
}

Tensor put_at(const Tensor& x,
              const std::vector<AxisPositions>& positions,
              const Tensor& value,
              ScatterMode mode,
              Where where) {
  const bool is_mask = positions.front().positions.dtype() == DType::bool_;
  if (positions.size() == 1 && is_mask) {
    return put_masked(x, positions.front(), value, mode, where);
  }
  const JoinedPositions joined = join(x, positions, /*drop=*/true, where);
  Axes extents = to_axes(joined.x.shape());
  const Shape& places = joined.positions.shape();
  extents.insert(extents.erase(extents.begin() + joined.axis), places.begin(), places.end());
  const Tensor updates = broadcast_to(value, Shape(extents), where);
  const Tensor flat = scatter_slices(joined.x, joined.axis, joined.positions, updates, mode, where);
  const Tensor result = reshape(flat, joined.shape, where);
  if (joined.order.empty()) return result;
  Axes back(joined.order.size());
  for (size_t i = 0; i < back.size(); ++i)
    back[static_cast<size_t>(joined.order[i])] = static_cast<int64_t>(i);
  return permute(result, std::move(back), where);
}

}  // namespace wick::detail
