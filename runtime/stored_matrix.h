#pragma once

// Internal to runtime/.

#include <cstdint>

namespace wick::runtime {

/// An operand of a product as it is stored: `stride` elements from row to row.
struct StoredMatrix {
  const float* data;
  int64_t stride;

  [[nodiscard]] StoredMatrix at(int64_t row, int64_t column) const {
    return {data + row * stride + column, stride};
  }
};

}  // namespace wick::runtime
