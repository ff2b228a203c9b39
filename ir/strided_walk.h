#pragma once

// Walks the positions of a shape in row-major order with several strided offsets. Internal to ir/.

#include <array>
#include <cstdint>
#include <vector>

#include "wick/ir/shape.h"

namespace wick::ir {

using Strides = std::vector<int64_t>;

/// Strides that read `from` along the axes of `to`, aligned at the last axis; 0 where it repeats.
inline Strides broadcast_strides(const Shape& from, const Shape& to) {
  const Strides own = row_major_strides(from);
  Strides strides(static_cast<size_t>(to.ndim()), 0);
  const int offset = to.ndim() - from.ndim();
  for (int axis = 0; axis < from.ndim(); ++axis) {
    if (from[axis] != 1) {
      strides[static_cast<size_t>(axis + offset)] = own[static_cast<size_t>(axis)];
    }
  }
  return strides;
}

/// Calls visit(position, offsets) for each position, counted from 0.
template <size_t N, typename Visit>
void walk(const Shape& shape,
          const std::array<Strides, N>& strides,
          std::array<int64_t, N> offsets,
          const Visit& visit) {
  const int64_t count = shape.numel();
  std::vector<int64_t> index(static_cast<size_t>(shape.ndim()), 0);
  for (int64_t position = 0; position < count; ++position) {
    visit(position, offsets);
    for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      ++index[i];
      for (size_t k = 0; k < N; ++k) {
        offsets[k] += strides[k][i];
      }
      if (index[i] < shape[axis]) break;
      for (size_t k = 0; k < N; ++k) {
        offsets[k] -= strides[k][i] * index[i];
      }
      index[i] = 0;
    }
  }
}

}  // namespace wick::ir
