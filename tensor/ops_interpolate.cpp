#include "wick/tensor/ops_interpolate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/ops_pool.h"

namespace wick {

namespace {

constexpr const char* kOp = "interpolate";

[[noreturn]] void fail(const std::string& text, Where where) {
  throw Error(where, kOp, text);
}

/// How one axis is resampled.
struct AxisPlan {
  int64_t in = 0;
  int64_t out = 0;
  /// Elements of x for one of the result.
  double ratio = 0;
};

/// The elements of x that make each element of the result, and their weights, `taps` each.
struct Taps {
  int64_t taps = 1;
  std::vector<int64_t> positions;
  std::vector<double> weights;
};

/// Where the centre of element i lies in x. In the precision of the elements, so that rounding
/// decides between neighbours as it does in other libraries.
template <typename T>
T source_of(const AxisPlan& axis, int64_t i, bool align_corners) {
  if (!align_corners) return static_cast<T>(axis.ratio) * (static_cast<T>(i) + T{0.5}) - T{0.5};
  const T step = axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T{0};
  return step * static_cast<T>(i);
}

template <typename T>
Taps nearest_taps(const AxisPlan& axis, bool exact) {
  Taps taps;
  for (int64_t i = 0; i < axis.out; ++i) {
    const T offset = exact ? T{0.5} : T{0};
    const T source = (static_cast<T>(i) + offset) * static_cast<T>(axis.ratio);
    taps.positions.push_back(std::min(static_cast<int64_t>(std::floor(source)), axis.in - 1));
    taps.weights.push_back(1);
  }
  return taps;
}

template <typename T>
Taps linear_taps(const AxisPlan& axis, bool align_corners) {
  Taps taps{.taps = 2, .positions = {}, .weights = {}};
  for (int64_t i = 0; i < axis.out; ++i) {
    const T source = std::max(source_of<T>(axis, i, align_corners), T{0});
    const int64_t low = std::min(static_cast<int64_t>(source), axis.in - 1);
    const T high_weight = std::clamp(source - static_cast<T>(low), T{0}, T{1});
    taps.positions.insert(taps.positions.end(), {low, std::min(low + 1, axis.in - 1)});
    taps.weights.insert(taps.weights.end(), {double{T{1} - high_weight}, double{high_weight}});
  }
  return taps;
}

/// Keys' kernel at distance d.
template <typename T>
T cubic_weight(T d) {
  constexpr T a = T{-0.75};
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((d - 5) * d + 8) * d * a - 4 * a;
}

template <typename T>
Taps cubic_taps(const AxisPlan& axis, bool align_corners) {
  Taps taps{.taps = 4, .positions = {}, .weights = {}};
  for (int64_t i = 0; i < axis.out; ++i) {
    const T source = source_of<T>(axis, i, align_corners);
    const auto low = static_cast<int64_t>(std::floor(source));
    const T t = source - static_cast<T>(low);
    for (int64_t k = -1; k <= 2; ++k) {
      taps.positions.push_back(std::clamp<int64_t>(low + k, 0, axis.in - 1));
      taps.weights.push_back(double{cubic_weight<T>(t - static_cast<T>(k))});
    }
  }
  return taps;
}

template <typename T>
Taps taps_of(const AxisPlan& axis, const InterpolateOptions& options) {
  switch (options.mode) {
    case Interpolation::linear:
      return linear_taps<T>(axis, options.align_corners);
    case Interpolation::cubic:
      return cubic_taps<T>(axis, options.align_corners);
    case Interpolation::nearest:
    case Interpolation::nearest_exact:
    case Interpolation::area:  // by pooling
      break;
  }
  return nearest_taps<T>(axis, options.mode == Interpolation::nearest_exact);
}

/// Number `tap` of each element's.
template <typename To, typename From>
Tensor column(const std::vector<From>& values, size_t taps, size_t tap, Shape shape, Where where) {
  std::vector<To> column;
  for (size_t i = tap; i < values.size(); i += taps)
    column.push_back(static_cast<To>(values[i]));
  return from_vector(column, std::move(shape), where);
}

/// One gather for each tap: they stay in one kernel, along whose rows vectors lie.
Tensor resample(const Tensor& x, int at, const Taps& taps, int64_t out, Where where) {
  const auto count = static_cast<size_t>(taps.taps);
  std::vector<int64_t> extents(static_cast<size_t>(x.ndim() - at), 1);
  extents[0] = out;
  const Shape along{std::span<const int64_t>(extents)};
  Tensor y;
  for (size_t tap = 0; tap < count; ++tap) {
    const Tensor positions = column<int64_t>(taps.positions, count, tap, {out}, where);
    Tensor part = take(x, positions, at, where);
    if (count > 1) {
      const Tensor weights = x.dtype() == DType::f64
                                 ? column<double>(taps.weights, count, tap, along, where)
                                 : column<float>(taps.weights, count, tap, along, where);
      part = Operand(part, where) * weights;
    }
    y = tap == 0 ? part : Operand(y, where) + part;
  }
  return y;
}

/// Whether each element comes equally often, one after another.
bool is_repetition(const Taps& taps, const AxisPlan& axis) {
  if (taps.taps > 1 || axis.out % axis.in != 0) return false;
  const int64_t times = axis.out / axis.in;
  for (int64_t i = 0; i < axis.out; ++i) {
    if (taps.positions[static_cast<size_t>(i)] != i / times) return false;
  }
  return true;
}

/// Each element of the axes as often as they are to be longer: all axes at once are one kernel, and
/// their gradient is one sum.
Tensor repeat_elements(const Tensor& x, const std::vector<AxisPlan>& axes, Where where) {
  Axes apart = {x.shape()[0], x.shape()[1]};
  Axes stretched = apart;
  Axes extents = apart;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t extent = x.shape()[2 + static_cast<int>(i)];
    apart.insert(apart.end(), {extent, 1});
    stretched.insert(stretched.end(), {extent, axes[i].out / extent});
    extents.push_back(axes[i].out);
  }
  if (Shape(extents) == x.shape()) return x;
  const Tensor repeated = broadcast_to(reshape(x, Shape(apart), where), Shape(stretched), where);
  return reshape(repeated, Shape(extents), where);
}

std::vector<AxisPlan> plan_axes(const Tensor& x, const InterpolateOptions& options, Where where) {
  const int num_axes = x.ndim() - 2;
  const size_t given = options.size.empty() ? options.scale_factor.size() : options.size.size();
  if (options.size.empty() == options.scale_factor.empty()) {
    fail("either size or scale_factor must be given", where);
  }
  if (given != 1 && static_cast<int>(given) != num_axes) {
    constexpr auto kText = "size and scale_factor must be one number or {}, one an axis, of {}";
    fail(fmt::format(kText, num_axes, to_string(x.type())), where);
  }
  std::vector<AxisPlan> axes;
  for (int i = 0; i < num_axes; ++i) {
    const size_t at = given == 1 ? 0 : static_cast<size_t>(i);
    AxisPlan axis{.in = x.shape()[2 + i]};
    if (options.size.empty()) {
      const double factor = options.scale_factor[at];
      axis.out = static_cast<int64_t>(std::floor(static_cast<double>(axis.in) * factor));
      axis.ratio = 1 / factor;
    } else {
      axis.out = options.size[at];
      axis.ratio = static_cast<double>(axis.in) / static_cast<double>(axis.out);
    }
    if (axis.in < 1 || axis.out < 1) {
      constexpr auto kText = "cannot make {} elements of axis {} of x {}";
      fail(fmt::format(kText, axis.out, 2 + i, to_string(x.type())), where);
    }
    axes.push_back(axis);
  }
  return axes;
}

Tensor by_area(const Tensor& x, const std::vector<AxisPlan>& axes, Where where) {
  Axes output;
  for (const AxisPlan& axis : axes)
    output.push_back(axis.out);
  if (axes.size() == 1) return adaptive_avg_pool1d(x, output, where);
  if (axes.size() == 2) return adaptive_avg_pool2d(x, output, where);
  return adaptive_avg_pool3d(x, output, where);
}

}  // namespace

Tensor interpolate(const Tensor& x, const InterpolateOptions& options, Where where) {
  if (!x.defined() || !is_float(x.dtype()) || x.ndim() < 3 || x.ndim() > 5) {
    const std::string given = x.defined() ? to_string(x.type()) : "undefined";
    fail(fmt::format("x must be floats with 3 to 5 axes, is {}", given), where);
  }
  if (options.mode == Interpolation::cubic && x.ndim() != 4) {
    fail(fmt::format("cubic needs x with 4 axes, is {}", to_string(x.type())), where);
  }
  const std::vector<AxisPlan> axes = plan_axes(x, options, where);
  if (options.mode == Interpolation::area) return by_area(x, axes, where);
  Tensor y = is_half(x.dtype()) ? cast(x, DType::f32, where) : x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Taps taps = x.dtype() == DType::f64 ? taps_of<double>(axes[i], options)
                                              : taps_of<float>(axes[i], options);
    if (is_repetition(taps, axes[i])) continue;
    y = resample(y, 2 + static_cast<int>(i), taps, axes[i].out, where);
  }
  return cast(repeat_elements(y, axes, where), x.dtype(), where);
}

}  // namespace wick
