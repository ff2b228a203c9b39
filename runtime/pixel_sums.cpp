#include "wick/runtime/pixel_sums.h"

#include "wick/runtime/register_tile.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// How far ahead of the multiplications pixels are asked for.
constexpr int64_t kPixelsAhead = 32;

struct CotangentPixels {
  const float* data;

  WICK_INLINE_VECTORS float operator()(int64_t i, int64_t row) const {
    return data[i * kLanes + row];
  }
};

struct InputPixels {
  const PixelRun& run;

  WICK_INLINE_VECTORS const float* operator()(int64_t i) const {
    const float* pixel = run.input + i * kLanes;
    __builtin_prefetch(run.cotangent + (i + kPixelsAhead) * kLanes);
    __builtin_prefetch(pixel + kPixelsAhead * kLanes);
    return pixel;
  }
};

WICK_VECTORS void sum(std::span<const PixelRun> runs, float* out, int64_t stride, bool adds) {
  RegisterTile<kLanes, 1> tile;
  tile.clear();
  for (const PixelRun& run : runs)
    tile.add_products(0, run.pixels, CotangentPixels{run.cotangent}, InputPixels{run});
  tile.store_to(out, stride, adds);
}

}  // namespace

template <>
const PixelSums& pixel_sums<kLanes>() {
  static constexpr PixelSums kSums = {.lanes = kLanes, .sum = sum};
  return kSums;
}

}  // namespace wick::runtime
