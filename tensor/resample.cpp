#include "wick/tensor/resample.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/ops_shape.h"

namespace wick::detail {

namespace {

/// Every `period`-th element of the result is made of a slice of x for each tap, with the axis's
/// `step`.
struct Phase {
  struct Tap {
    int64_t first = 0;  // of the slice, which may begin and end beyond x
    std::vector<double> weights;
  };

  std::vector<Tap> taps;
};

struct Phases {
  int64_t step = 1;
  std::vector<Phase> all;  // of the first elements of the result, until they repeat
};

/// Along the axis, with the extents of 1 behind it.
Tensor weights_along(const Tensor& x, int at, std::span<const double> weights, Where where) {
  std::vector<int64_t> extents(static_cast<size_t>(x.ndim() - at), 1);
  extents[0] = std::ssize(weights);
  const Shape shape = to_shape(extents);
  if (x.dtype() == DType::f64)
    return from_vector(std::vector<double>(weights.begin(), weights.end()), shape, where);
  return from_vector(std::vector<float>(weights.begin(), weights.end()), shape, where);
}

Tensor sum_of(const Tensor& y, const Tensor& part, Where where) {
  return y.defined() ? Operand(y, where) + part : part;
}

/// Number `tap` of each element's.
template <typename T>
std::vector<T> column(const std::vector<T>& values, int64_t taps, int64_t tap) {
  std::vector<T> column;
  for (size_t i = static_cast<size_t>(tap); i < values.size(); i += static_cast<size_t>(taps))
    column.push_back(values[i]);
  return column;
}

/// One gather for each tap: they stay in one kernel, along whose rows vectors lie.
Tensor by_gathers(const Tensor& x, int at, int64_t out, const Taps& taps, Where where) {
  Tensor y;
  for (int64_t tap = 0; tap < taps.taps; ++tap) {
    const Tensor positions = from_vector(column(taps.positions, taps.taps, tap), Shape{out}, where);
    Tensor part = take(x, positions, at, where);
    if (taps.taps > 1) {
      const std::vector<double> weights = column(taps.weights, taps.taps, tap);
      part = Operand(part, where) * weights_along(x, at, weights, where);
    }
    y = sum_of(y, part, where);
  }
  return y;
}

/// What makes elements number, number + period, ... of the result; `count` of them. None where that
/// is more slices than rounding and the ends of x account for. What lies beyond x has no weight.
std::optional<Phase> phase_of(const ResampledAxis& axis,
                              const Taps& taps,
                              int64_t number,
                              int64_t count) {
  const int64_t period = axis.out / count;
  const int64_t step = axis.in / count;
  const int64_t most_slices = taps.taps + 1;
  Phase phase;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t tap = 0; tap < taps.taps; ++tap) {
      const auto at = static_cast<size_t>((i * period + number) * taps.taps + tap);
      if (taps.weights[at] == 0) continue;
      const int64_t first = taps.positions[at] - i * step;
      auto found = std::ranges::find(phase.taps, first, &Phase::Tap::first);
      if (found == phase.taps.end()) {
        if (std::ssize(phase.taps) == most_slices) return std::nullopt;
        phase.taps.push_back({first, std::vector<double>(static_cast<size_t>(count), 0)});
        found = phase.taps.end() - 1;
      }
      found->weights[static_cast<size_t>(i)] += taps.weights[at];
    }
  }
  return phase;
}

std::optional<Phases> phases_of(const ResampledAxis& axis, const Taps& taps) {
  constexpr int64_t kMostPhases = 8;
  const int64_t count = std::gcd(axis.in, axis.out);
  if (axis.out / count > kMostPhases) return std::nullopt;
  Phases phases{.step = axis.in / count, .all = {}};
  for (int64_t number = 0; number < axis.out / count; ++number) {
    std::optional<Phase> phase = phase_of(axis, taps, number, count);
    if (!phase) return std::nullopt;
    phases.all.push_back(std::move(*phase));
  }
  return phases;
}

/// What the tap reads, with zeros beyond the ends of the axis.
Tensor elements_of(const Phase::Tap& tap, int64_t step, const Tensor& x, int at, Where where) {
  const int64_t end = tap.first + (std::ssize(tap.weights) - 1) * step + 1;
  Axes low(static_cast<size_t>(x.ndim()), 0);
  Axes high = low;
  low[static_cast<size_t>(at)] = std::max<int64_t>(-tap.first, 0);
  high[static_cast<size_t>(at)] = std::max<int64_t>(end - x.size(at), 0);
  const int64_t before = low[static_cast<size_t>(at)];
  return slice(pad(x, low, high, 0, where), at, before + tap.first, before + end, step, where);
}

Tensor by_phases(const Tensor& x, int at, const Phases& phases, Where where) {
  std::vector<Tensor> parts;
  for (const Phase& phase : phases.all) {
    Tensor part;
    for (const Phase::Tap& tap : phase.taps) {
      const Tensor elements = elements_of(tap, phases.step, x, at, where);
      const auto is_one = [](double weight) { return weight == 1; };
      const bool is_copy = std::ranges::all_of(tap.weights, is_one);
      const Tensor weighted =
          is_copy ? elements : Operand(elements, where) * weights_along(x, at, tap.weights, where);
      part = sum_of(part, weighted, where);
    }
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  std::vector<int64_t> extents(x.shape().begin(), x.shape().end());
  extents[static_cast<size_t>(at)] = std::ssize(parts) * parts[0].size(at);
  return reshape(stack(parts, at + 1, where), to_shape(extents), where);
}

}  // namespace

Tensor resample(const Tensor& x, int at, const ResampledAxis& axis, const Taps& taps, Where where) {
  if (const std::optional<Phases> phases = phases_of(axis, taps))
    return by_phases(x, at, *phases, where);
  return by_gathers(x, at, axis.out, taps, where);
}

}  // namespace wick::detail
