#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "wick/autograd/rules.h"
#include "wick/autograd/rules_opaque.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

/// A list attribute with one number an axis, or its default.
Axes per_axis(const Step& s, std::string_view name, size_t rank, int64_t fallback) {
  return s.attributes().has(name) ? s.attributes().integers(name) : Axes(rank, fallback);
}

Term grad_broadcast(const Step& s) {
  return sum_to(s.cotangent(), s.operand(0).shape());
}

Term grad_reshape(const Step& s) {
  return reshape(s.cotangent(), s.operand(0).shape());
}

Term grad_permute(const Step& s) {
  const Axes& axes = s.attributes().integers("axes");
  Axes inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    inverse[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  }
  return permute(s.cotangent(), inverse);
}

/// Turns the axes of negative step round, so that what remains is a slice with positive steps.
Term flip_negative_steps(const Term& x, const Axes& all_steps) {
  const size_t rank = all_steps.size();
  SliceBounds flip{Axes(rank, 0), {x.shape().begin(), x.shape().end()}, Axes(rank, 1)};
  for (size_t i = 0; i < rank; ++i) {
    if (all_steps[i] >= 0 || flip.sizes[i] == 0) continue;
    flip.starts[i] = flip.sizes[i] - 1;
    flip.steps[i] = -1;
  }
  return slice(x, std::move(flip));
}

Term grad_slice(const Step& s) {
  const Axes& sizes = s.attributes().integers("sizes");
  const size_t rank = sizes.size();
  const Axes starts = per_axis(s, "starts", rank, 0);
  const Axes steps = per_axis(s, "steps", rank, 1);
  const Shape& shape = s.operand(0).shape();
  PadWidths widths{Axes(rank, 0), Axes(rank, 0), Axes(rank, 0)};
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = shape[static_cast<int>(i)];
    if (sizes[i] == 0) {
      widths.high[i] = extent;
      continue;
    }
    const int64_t end = starts[i] + (sizes[i] - 1) * steps[i];
    widths.low[i] = std::min(starts[i], end);
    widths.high[i] = extent - 1 - std::max(starts[i], end);
    // One element has nothing between: the step says nothing then.
    widths.interior[i] = sizes[i] > 1 ? std::abs(steps[i]) - 1 : 0;
  }
  return pad(flip_negative_steps(s.cotangent(), steps), std::move(widths));
}

/// Operand `index` is a slice of the result.
Term grad_concat(const Step& s) {
  const auto axis = static_cast<int>(s.attributes().integer("axis", 0));
  const Shape& shape = s.operand(s.index).shape();
  const auto rank = static_cast<size_t>(shape.ndim());
  SliceBounds bounds{Axes(rank, 0), {shape.begin(), shape.end()}, Axes(rank, 1)};
  for (int i = 0; i < s.index; ++i) {
    bounds.starts[static_cast<size_t>(axis)] += s.operand(i).shape()[axis];
  }
  return slice(s.cotangent(), std::move(bounds));
}

PadWidths widths_of(const Step& s) {
  const auto rank = static_cast<size_t>(s.operand(0).shape().ndim());
  return {
      per_axis(s, "low", rank, 0), per_axis(s, "high", rank, 0), per_axis(s, "interior", rank, 0)};
}

/// Undoes the borders, what was cropped getting zeros, then takes every (interior + 1)th element.
Term grad_pad(const Step& s) {
  const PadWidths widths = widths_of(s);
  const size_t rank = widths.low.size();
  const Shape& shape = s.operand(0).shape();
  PadWidths undo{Axes(rank), Axes(rank), Axes(rank, 0)};
  SliceBounds bounds{Axes(rank, 0), {shape.begin(), shape.end()}, Axes(rank, 1)};
  for (size_t i = 0; i < rank; ++i) {
    undo.low[i] = -widths.low[i];
    undo.high[i] = -widths.high[i];
    bounds.steps[i] = bounds.sizes[i] > 1 ? widths.interior[i] + 1 : 1;
  }
  return slice(pad(s.cotangent(), std::move(undo)), std::move(bounds));
}

/// The sum over the positions that the fill value reached.
Term grad_pad_value(const Step& s) {
  const Term x = s.operand(0);
  const Term zero = filled(x.shape(), 0.0, x.dtype(), x.where);
  const Term reached = pad(zero, widths_of(s), 1.0);
  return sum_to(s.cotangent() * reached, Shape{});
}

int64_t axis_of(const Step& s) {
  return s.attributes().integer("axis", 0);
}

/// What gather takes the indices for, which clamps them.
Term clamped_indices(const Step& s) {
  const Term x = s.operand(0);
  const Term indices = s.operand(1);
  const auto number = [&](int64_t value) {
    return filled(Shape{}, static_cast<double>(value), indices.dtype(), x.where);
  };
  const Term low = apply(OpKind::maximum, {indices, number(0)});
  return apply(OpKind::minimum, {low, number(x.shape()[static_cast<int>(axis_of(s))] - 1)});
}

/// Of few indices beside each other each element of x asks whether one is its own, which fuses with
/// what reads the gradient.
Term grad_of_few(const Step& s, const Term& indices) {
  const Term x = s.operand(0);
  const auto axis = static_cast<int>(axis_of(s));
  const int64_t extent = x.shape()[axis];
  const DType narrow = extent <= std::numeric_limits<int32_t>::max() ? DType::i32 : DType::i64;
  Axes along(static_cast<size_t>(x.shape().ndim()), 1);
  along[static_cast<size_t>(axis)] = extent;
  const Term numbers = reshape({arange(extent, narrow, x.where), x.where}, Shape(along));
  const Term wanted = cast(indices, narrow);
  const auto at = [&](const Term& list, int64_t i) {
    const Shape& shape = list.shape();
    SliceBounds bounds{Axes(along.size(), 0), {shape.begin(), shape.end()}, Axes(along.size(), 1)};
    bounds.starts[static_cast<size_t>(axis)] = i;
    bounds.sizes[static_cast<size_t>(axis)] = 1;
    return slice(list, std::move(bounds));
  };
  const auto part = [&](int64_t i) {
    return select(equal(numbers, at(wanted, i)), at(s.cotangent(), i), 0.0);
  };
  Term sum = part(0);
  for (int64_t i = 1; i < indices.shape()[axis]; ++i)
    sum = sum + part(i);
  return sum;
}

/// Adds each slice or element of the cotangent where it came from.
Term grad_gather(const Step& s) {
  constexpr int64_t kFew = 4;
  const Term x = s.operand(0);
  const Term indices = clamped_indices(s);
  const int64_t axis = axis_of(s);
  const bool along = s.attributes().flag("along");
  const int64_t count = along ? indices.shape()[static_cast<int>(axis)] : 0;
  if (0 < count && count <= kFew) return grad_of_few(s, indices);
  const Term zero = filled(x.shape(), 0.0, x.dtype(), x.where);
  return apply(OpKind::scatter, {zero, indices, s.cotangent()}, s.attributes());
}

constexpr GradientRow kMovementRows[] = {
    {OpKind::broadcast, {grad_broadcast}},
    {OpKind::reshape, {grad_reshape}},
    {OpKind::permute, {grad_permute}},
    {OpKind::slice, {grad_slice}},
    {OpKind::concat, {grad_concat}},
    {OpKind::pad, {grad_pad, grad_pad_value}},
    {OpKind::gather, {grad_gather}},
};

static_assert(covers(kMovementRows, Family::movement));

}  // namespace

std::span<const GradientRow> movement_rules() {
  return kMovementRows;
}

}  // namespace wick::autograd
