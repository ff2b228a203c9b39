#pragma once

// Geometry of convolutions and pools over the spatial axes. Internal to ir/.

#include <cstdint>
#include <vector>

namespace wick::ir {

/// One axis of a sliding window.
struct WindowAxis {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;  // on both sides
  int64_t dilation = 1;

  /// Positions from the first to the last element of a window.
  [[nodiscard]] int64_t span() const { return dilation * (kernel - 1) + 1; }

  /// Windows that fit into an axis; 0 or less when none does.
  [[nodiscard]] int64_t count(int64_t extent) const {
    const int64_t room = extent + 2 * padding - span();
    return room < 0 ? 0 : room / stride + 1;
  }

  /// Where element k of window `at` reads; outside [0, extent) is padding.
  [[nodiscard]] int64_t position(int64_t at, int64_t k) const {
    return at * stride - padding + k * dilation;
  }
};

using Window = std::vector<WindowAxis>;  // by spatial axis

}  // namespace wick::ir
