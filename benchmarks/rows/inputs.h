#pragma once

// Inputs of the rows.

#include "wick/wick.h"

namespace wick::bench {

constexpr int64_t kMebi = int64_t{1} << 20;

/// Bytes of so many f32.
constexpr double f32_bytes(int64_t count) {
  return 4.0 * static_cast<double>(count);
}

/// Computed, so that steps do not make it.
inline Tensor uniform_input(Shape shape, double low = -1, double high = 1) {
  Tensor t = uniform(low, high, std::move(shape));
  materialize(t);
  return t;
}

inline Tensor zeros_input(Shape shape) {
  Tensor t = zeros(std::move(shape));
  materialize(t);
  return t;
}

/// Integers below `classes`.
inline Tensor label_input(int64_t classes, Shape shape) {
  Tensor t = randint(0, classes, std::move(shape));
  materialize(t);
  return t;
}

}  // namespace wick::bench
