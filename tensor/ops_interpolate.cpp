#include "wick/tensor/ops_interpolate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wick/tensor/ops_pool.h"
#include "wick/tensor/resample.h"

namespace wick {

namespace {

using detail::ResampledAxis;
using detail::Taps;

constexpr const char* kOp = "interpolate";

[[noreturn]] void fail(const std::string& text, Where where) {
  throw Error(where, kOp, text);
}

/// Where the centre of element i lies in x. In the precision of the elements, so that rounding
/// decides between neighbours as it does in other libraries.
template <typename T>
T source_of(const ResampledAxis& axis, int64_t i, bool align_corners) {
  if (!align_corners) return static_cast<T>(axis.ratio) * (static_cast<T>(i) + T{0.5}) - T{0.5};
  const T step = axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T{0};
  return step * static_cast<T>(i);
}

template <typename T>
Taps nearest_taps(const ResampledAxis& axis, bool exact) {
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
Taps linear_taps(const ResampledAxis& axis, bool align_corners) {
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
Taps cubic_taps(const ResampledAxis& axis, bool align_corners) {
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
Taps taps_of(const ResampledAxis& axis, const InterpolateOptions& options) {
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

/// Whether each element comes equally often, one after another.
bool is_repetition(const Taps& taps, const ResampledAxis& axis) {
  if (taps.taps > 1 || axis.out % axis.in != 0) return false;
  const int64_t times = axis.out / axis.in;
  for (int64_t i = 0; i < axis.out; ++i) {
    if (taps.positions[static_cast<size_t>(i)] != i / times) return false;
  }
  return true;
}

/// Each element of the axes as often as they are to be longer: all axes at once are one kernel, and
/// their gradient is one sum.
Tensor repeat_elements(const Tensor& x, const std::vector<ResampledAxis>& axes, Where where) {
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

std::vector<ResampledAxis> plan_axes(const Tensor& x,
                                     const InterpolateOptions& options,
                                     Where where) {
  const int num_axes = x.ndim() - 2;
  const size_t given = options.size.empty() ? options.scale_factor.size() : options.size.size();
  if (options.size.empty() == options.scale_factor.empty()) {
    fail("either size or scale_factor must be given", where);
  }
  if (given != 1 && static_cast<int>(given) != num_axes) {
    constexpr auto kText = "size and scale_factor must be one number or {}, one an axis, of {}";
    fail(fmt::format(kText, num_axes, to_string(x.type())), where);
  }
  std::vector<ResampledAxis> axes;
  for (int i = 0; i < num_axes; ++i) {
    const size_t at = given == 1 ? 0 : static_cast<size_t>(i);
    ResampledAxis axis{.in = x.shape()[2 + i]};
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

Tensor by_area(const Tensor& x, const std::vector<ResampledAxis>& axes, Where where) {
  Axes output;
  for (const ResampledAxis& axis : axes)
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
  const std::vector<ResampledAxis> axes = plan_axes(x, options, where);
  if (options.mode == Interpolation::area) return by_area(x, axes, where);
  Tensor y = is_half(x.dtype()) ? cast(x, DType::f32, where) : x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Taps taps = x.dtype() == DType::f64 ? taps_of<double>(axes[i], options)
                                              : taps_of<float>(axes[i], options);
    if (is_repetition(taps, axes[i])) continue;
    y = detail::resample(y, 2 + static_cast<int>(i), axes[i], taps, where);
  }
  return cast(repeat_elements(y, axes, where), x.dtype(), where);
}

}  // namespace wick
