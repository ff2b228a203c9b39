#pragma once

// Internal to runtime/.

#include <cstdint>

namespace wick::runtime {

/// Pixels that lie side by side, with channels in blocks.
template <class Element>
struct PixelRow {
  Element* data;  // the first channel of the first pixel
  int64_t plane;  // elements from block to block
};

}  // namespace wick::runtime
