#pragma once

// A tensor seen from one of its axes.

#include <cstdint>

#include "wick/ir/shape.h"

namespace wick::ir {

/// Row-major extents around one axis: [outer, extent, inner].
struct AxisSplit {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};

inline AxisSplit split_at(const Shape& shape, int64_t axis) {
  AxisSplit split;
  for (int d = 0; d < shape.ndim(); ++d) {
    (d < axis ? split.outer : d == axis ? split.extent : split.inner) *= shape[d];
  }
  return split;
}

}  // namespace wick::ir
