// Rearranging elements and axes, and borders made of a tensor's own elements.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/axis_range.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::axes_of;
using detail::axis_of;
using detail::AxisRange;
using detail::slice_range;
using detail::to_axes;
using detail::type_of;
using ir::OpKind;

namespace {

Tensor roll_axis(const Tensor& x, int axis, int64_t shift, Where where) {
  const int64_t extent = x.shape()[axis];
  if (extent == 0) return x;
  const int64_t low = ((shift % extent) + extent) % extent;
  if (low == 0) return x;
  return concat({slice_range(x, axis, {extent - low, low, 1}, where),
                 slice_range(x, axis, {0, extent - low, 1}, where)},
                axis,
                where);
}

/// What stands before or after an axis of `extent`.
AxisRange border(PadMode mode, bool is_low, int64_t extent, int64_t width) {
  switch (mode) {
    case PadMode::reflect:
      return {is_low ? width : extent - 2, width, -1};
    case PadMode::symmetric:
      return {is_low ? width - 1 : extent - 1, width, -1};
    case PadMode::replicate:
      return {is_low ? 0 : extent - 1, 1, 1};
    case PadMode::circular:
      return {is_low ? extent - width : 0, width, 1};
  }
  __builtin_unreachable();
}

int64_t widest(PadMode mode, int64_t extent) {
  switch (mode) {
    case PadMode::reflect:
      return std::max<int64_t>(extent - 1, 0);
    case PadMode::symmetric:
    case PadMode::circular:
      return extent;
    case PadMode::replicate:
      return extent == 0 ? 0 : std::numeric_limits<int64_t>::max();
  }
  __builtin_unreachable();
}

Tensor pad_axis(const Tensor& x, int axis, int64_t low, int64_t high, PadMode mode, Where where) {
  const int64_t extent = x.shape()[axis];
  const int64_t limit = widest(mode, extent);
  if (low > limit || high > limit) {
    constexpr auto kText = "axis {} of {} has not enough elements for a border of {}";
    throw Error(where, "pad", fmt::format(kText, axis, to_string(x.type()), std::max(low, high)));
  }
  const auto edge = [&](bool is_low, int64_t width) {
    const Tensor part = slice_range(x, axis, border(mode, is_low, extent, width), where);
    Shape shape = x.shape();
    shape.set(axis, width);
    return mode == PadMode::replicate ? broadcast_to(part, shape, where) : part;
  };
  std::vector<Tensor> parts;
  if (low > 0) parts.push_back(edge(true, low));
  parts.push_back(x);
  if (high > 0) parts.push_back(edge(false, high));
  return parts.size() == 1 ? x : concat(parts, axis, where);
}

void require_factor(std::string_view op, bool fits, const Type& type, int64_t factor, Where where) {
  if (fits) return;
  throw Error(where, op, fmt::format("factor {} does not divide {}", factor, to_string(type)));
}

}  // namespace

Tensor flip(const Tensor& x, const Axes& axes, Where where) {
  const Type& type = type_of("flip", x, where);
  Axes flipped = axes_of("flip", axes, type, where);
  for (int axis = 0; axes.empty() && axis < type.shape.ndim(); ++axis)
    flipped.push_back(axis);
  Axes starts(static_cast<size_t>(x.ndim()), 0);
  Axes steps(starts.size(), 1);
  for (const int64_t axis : flipped) {
    const int64_t extent = type.shape[static_cast<int>(axis)];
    if (extent < 2) continue;
    starts[static_cast<size_t>(axis)] = extent - 1;
    steps[static_cast<size_t>(axis)] = -1;
  }
  if (std::ranges::count(steps, -1) == 0) return x;
  return detail::record_unary(
      OpKind::slice,
      x,
      where,
      detail::share({{"sizes", to_axes(type.shape)}, {"starts", starts}, {"steps", steps}}));
}

Tensor fliplr(const Tensor& x, Where where) {
  detail::require_rank("fliplr", 2, type_of("fliplr", x, where), where);
  return flip(x, {1}, where);
}

Tensor flipud(const Tensor& x, Where where) {
  detail::require_rank("flipud", 1, type_of("flipud", x, where), where);
  return flip(x, {0}, where);
}

Tensor roll(const Tensor& x, const Axes& shifts, const Axes& axes, Where where) {
  const Type& type = type_of("roll", x, where);
  if (axes.empty() && shifts.size() == 1) {
    return reshape(roll_axis(flatten(x, 0, -1, where), 0, shifts[0], where), type.shape, where);
  }
  if (shifts.size() != axes.size()) {
    constexpr auto kText = "shifts [{}] should be as many as axes [{}]";
    throw Error(where, "roll", fmt::format(kText, fmt::join(shifts, ","), fmt::join(axes, ",")));
  }
  Tensor rolled = x;
  for (size_t i = 0; i < axes.size(); ++i)
    rolled = roll_axis(rolled, axis_of("roll", axes[i], type, where), shifts[i], where);
  return rolled;
}

Tensor rot90(const Tensor& x, int64_t count, int a, int b, Where where) {
  const Type& type = type_of("rot90", x, where);
  const Axes plane = axes_of("rot90", {a, b}, type, where);
  const int64_t turns = ((count % 4) + 4) % 4;
  if (turns == 0) return x;
  if (turns == 2) return flip(x, plane, where);
  if (turns == 1) return transpose(flip(x, {plane[1]}, where), a, b, where);
  return flip(transpose(x, a, b, where), {plane[1]}, where);
}

Tensor movedim(const Tensor& x, const Axes& from, const Axes& to, Where where) {
  const Type& type = type_of("movedim", x, where);
  const Axes sources = axes_of("movedim", from, type, where);
  const Axes places = axes_of("movedim", to, type, where);
  if (sources.size() != places.size()) {
    constexpr auto kText = "axes [{}] should be as many as their places [{}]";
    throw Error(where, "movedim", fmt::format(kText, fmt::join(from, ","), fmt::join(to, ",")));
  }
  Axes order(static_cast<size_t>(x.ndim()), -1);
  for (size_t i = 0; i < places.size(); ++i)
    order[static_cast<size_t>(places[i])] = sources[i];
  int64_t next = 0;
  for (int64_t& axis : order) {
    if (axis != -1) continue;
    while (std::ranges::find(sources, next) != sources.end())
      ++next;
    axis = next++;
  }
  return permute(x, std::move(order), where);
}

Tensor swapaxes(const Tensor& x, int a, int b, Where where) {
  return transpose(x, a, b, where);
}

Tensor pixel_shuffle(const Tensor& x, int64_t factor, Where where) {
  constexpr auto kOp = "pixel_shuffle";
  const Type& type = type_of(kOp, x, where);
  detail::require_rank(kOp, 3, type, where);
  Axes extents = to_axes(type.shape);
  const size_t c = extents.size() - 3;
  const bool fits = factor > 0 && extents[c] % factor == 0 && extents[c] / factor % factor == 0;
  require_factor(kOp, fits, type, factor, where);
  const int64_t channels = extents[c] / factor / factor;
  Axes apart(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(c));
  apart.insert(apart.end(), {channels, factor, factor, extents[c + 1], extents[c + 2]});
  const Tensor blocks = reshape(x, Shape(apart), where);
  extents[c] = channels;
  extents[c + 1] *= factor;
  extents[c + 2] *= factor;
  return reshape(movedim(blocks, {-4, -3}, {-3, -1}, where), Shape(extents), where);
}

Tensor pixel_unshuffle(const Tensor& x, int64_t factor, Where where) {
  constexpr auto kOp = "pixel_unshuffle";
  const Type& type = type_of(kOp, x, where);
  detail::require_rank(kOp, 3, type, where);
  Axes extents = to_axes(type.shape);
  const size_t c = extents.size() - 3;
  const bool fits = factor > 0 && extents[c + 1] % factor == 0 && extents[c + 2] % factor == 0;
  require_factor(kOp, fits, type, factor, where);
  extents[c + 1] /= factor;
  extents[c + 2] /= factor;
  Axes apart(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(c + 1));
  apart.insert(apart.end(), {extents[c + 1], factor, extents[c + 2], factor});
  const Tensor blocks = reshape(x, Shape(apart), where);
  extents[c] *= factor * factor;
  return reshape(movedim(blocks, {-3, -1}, {-4, -3}, where), Shape(extents), where);
}

Tensor squeeze(const Tensor& x, Where where) {
  Axes extents = to_axes(type_of("squeeze", x, where).shape);
  std::erase(extents, 1);
  return reshape(x, Shape(extents), where);
}

Tensor squeeze(const Tensor& x, const Axes& axes, Where where) {
  const Type& type = type_of("squeeze", x, where);
  const Axes gone = axes_of("squeeze", axes, type, where);
  Axes extents;
  for (int axis = 0; axis < type.shape.ndim(); ++axis) {
    if (std::ranges::find(gone, axis) == gone.end()) {
      extents.push_back(type.shape[axis]);
    } else if (type.shape[axis] != 1) {
      constexpr auto kText = "cannot remove axis {} of {}, whose extent is {}";
      throw Error(where, "squeeze", fmt::format(kText, axis, to_string(type), type.shape[axis]));
    }
  }
  return reshape(x, Shape(extents), where);
}

Tensor expand_dims(const Tensor& x, const Axes& axes, Where where) {
  const Type& type = type_of("expand_dims", x, where);
  const size_t rank = static_cast<size_t>(type.shape.ndim()) + axes.size();
  Type wide{type.dtype, Shape(Axes(rank, 1))};
  for (const int64_t axis : axes) {
    if (axis >= -wide.shape.ndim() && axis < wide.shape.ndim()) continue;
    constexpr auto kText = "cannot insert axis {} among [{}] into {}";
    throw Error(
        where, "expand_dims", fmt::format(kText, axis, fmt::join(axes, ","), to_string(type)));
  }
  const Axes added = axes_of("expand_dims", axes, wide, where);
  int next = 0;
  for (int axis = 0; axis < wide.shape.ndim(); ++axis) {
    if (std::ranges::find(added, axis) == added.end()) wide.shape.set(axis, type.shape[next++]);
  }
  return reshape(x, wide.shape, where);
}

Tensor atleast_1d(const Tensor& x, Where where) {
  return type_of("atleast_1d", x, where).shape.ndim() == 0 ? reshape(x, {1}, where) : x;
}

Tensor atleast_2d(const Tensor& x, Where where) {
  const Type& type = type_of("atleast_2d", x, where);
  return type.shape.ndim() < 2 ? reshape(x, {1, type.numel()}, where) : x;
}

Tensor atleast_3d(const Tensor& x, Where where) {
  const Type& type = type_of("atleast_3d", x, where);
  if (type.shape.ndim() < 2) return reshape(x, {1, type.numel(), 1}, where);
  return type.shape.ndim() == 2 ? unsqueeze(x, -1, where) : x;
}

Tensor unflatten(const Tensor& x, int axis, const Shape& shape, Where where) {
  const Type& type = type_of("unflatten", x, where);
  const int position = axis_of("unflatten", axis, type, where);
  // By itself the axis decides what -1 stands for.
  const Tensor line = zeros({type.shape[position]}, type.dtype, where);
  const Shape parts = reshape(line, shape, where).shape();
  Axes extents = to_axes(type.shape);
  const auto at = extents.erase(extents.begin() + position);
  extents.insert(at, parts.begin(), parts.end());
  return reshape(x, Shape(extents), where);
}

Tensor pad(const Tensor& x, const Axes& low, const Axes& high, PadMode mode, Where where) {
  const Type& type = type_of("pad", x, where);
  const auto rank = static_cast<size_t>(type.shape.ndim());
  if (low.size() != rank || high.size() != rank) {
    constexpr auto kText = "low [{}] and high [{}] should have a number for each axis of {}";
    throw Error(where,
                "pad",
                fmt::format(kText, fmt::join(low, ","), fmt::join(high, ","), to_string(type)));
  }
  Tensor padded = x;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t extent = type.shape[axis];
    const int64_t first = std::clamp<int64_t>(-std::max(low[i], -extent), 0, extent);
    const int64_t last = extent - std::clamp<int64_t>(-std::max(high[i], -extent), 0, extent);
    if (low[i] < -extent || high[i] < -extent || first > last) {
      constexpr auto kText = "low {}, high {} crop more than axis {} of {}";
      throw Error(where, "pad", fmt::format(kText, low[i], high[i], axis, to_string(type)));
    }
    padded = slice_range(padded, axis, {first == last ? 0 : first, last - first, 1}, where);
    padded = pad_axis(padded, axis, low[i], high[i], mode, where);
  }
  return padded;
}

}  // namespace wick
