#pragma once

// The innermost loop of gradients of the weights of pointwise convolutions. Internal to runtime/.

#include <cstdint>
#include <span>

namespace wick::runtime {

/// Pixels of a cotangent, and of the input that they are multiplied with: a block of channels each.
struct PixelRun {
  const float* cotangent;
  const float* input;
  int64_t pixels;
};

struct PixelSums {
  /// Channels of a block.
  int64_t lanes;

  /// out[o][i], in rows so many elements apart, becomes the sum over all pixels of cotangent[o]
  /// times input[i], or is added that.
  void (*sum)(std::span<const PixelRun> runs, float* out, int64_t stride, bool adds);
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const PixelSums& pixel_sums();
template <>
const PixelSums& pixel_sums<8>();
template <>
const PixelSums& pixel_sums<16>();

}  // namespace wick::runtime
