#include "wick/runtime/pixel_products.h"

#include <array>
#include <utility>

#include "wick/runtime/even_parts.h"
#include "wick/runtime/register_tile.h"
#include "wick/runtime/transpose_lanes.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

constexpr int64_t kMostBlocks = kLanes == 16 ? 4 : 2;

/// Pixels of a tile of so many blocks: with its operands it fills the registers, 32 or 16 of them.
constexpr int64_t pixels_of(int64_t blocks) {
  constexpr std::array<int64_t, 4> kOf16 = {16, 13, 8, 6};
  constexpr std::array<int64_t, 2> kOf8 = {12, 6};
  return kLanes == 16 ? kOf16[static_cast<size_t>(blocks - 1)]
                      : kOf8[static_cast<size_t>(blocks - 1)];
}

WICK_VECTORS void pack(
    StoredMatrix weights, bool is_transposed, int64_t blocks, int64_t depth, float* panel) {
  const int64_t row = blocks * kLanes;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t i = 0; i < depth; i += kLanes) {
      const int64_t column = block * kLanes;
      const StoredMatrix from = is_transposed ? weights.at(column, i) : weights.at(i, column);
      Floats square[kLanes];
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes; ++r) {
        square[r] = load(from.data + r * from.stride);
      }
      if (is_transposed) transpose(square);
#pragma GCC unroll 16
      for (int64_t r = 0; r < kLanes; ++r)
        store(panel + (i + r) * row + column, square[r]);
    }
  }
}

/// The factors of pixels: channels of one block.
struct PixelFactors {
  const float* data;

  WICK_INLINE_VECTORS float operator()(int64_t channel, int64_t pixel) const {
    return data[pixel * kLanes + channel];
  }
};

template <int64_t kBlocks>
struct PanelRows {
  const float* data;

  WICK_INLINE_VECTORS const float* operator()(int64_t i) const {
    return data + i * kBlocks * kLanes;
  }
};

template <int64_t kPixels, bool kWrites>
WICK_INLINE_VECTORS void ask_for_pixels(const float* data) {
  for (int64_t pixel = 0; pixel < kPixels; ++pixel)
    __builtin_prefetch(data + pixel * kLanes, kWrites);
}

/// Asks for the pixels of the next tile, and of the results: both are too short for the hardware to
/// see where they go.
template <int64_t kPixels, int64_t kBlocks>
WICK_VECTORS void multiply_tile(const PixelRow<const float>& from,
                                const float* panel,
                                int64_t depth,
                                const PixelRow<float>& to) {
  RegisterTile<kPixels, kBlocks> tile;
  tile.clear();
  const float* pixels = from.data;
  for (int64_t block = 0; block < depth / kLanes; ++block, pixels += from.plane) {
    ask_for_pixels<kPixels, false>(pixels + kPixels * kLanes);
    if (block < kBlocks) ask_for_pixels<kPixels, true>(to.data + block * to.plane);
    tile.add_products(0, kLanes, PixelFactors{pixels}, PanelRows<kBlocks>{panel});
    panel += kLanes * kBlocks * kLanes;
  }
#pragma GCC unroll 16
  for (int64_t pixel = 0; pixel < kPixels; ++pixel) {
#pragma GCC unroll 16
    for (int64_t block = 0; block < kBlocks; ++block)
      store(to.data + block * to.plane + pixel * kLanes, tile.sums[pixel][block]);
  }
}

template <int64_t kBlocks>
void multiply_blocks(PixelRow<const float> from,
                     const float* panel,
                     int64_t depth,
                     int64_t pixels,
                     PixelRow<float> to) {
  constexpr int64_t kMost = pixels_of(kBlocks);
  using Tile = void(const PixelRow<const float>&, const float*, int64_t, const PixelRow<float>&);
  static constexpr auto kTiles = []<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
    return std::array<Tile*, kMost>{multiply_tile<kLess + 1, kBlocks>...};
  }(std::make_integer_sequence<int64_t, kMost>());
  const EvenParts tiles(pixels, kMost);
  for (int64_t i = 0; i < tiles.count(); ++i) {
    const int64_t first = tiles.begin(i) * kLanes;
    kTiles[static_cast<size_t>(tiles.size(i) - 1)](
        {from.data + first, from.plane}, panel, depth, {to.data + first, to.plane});
  }
}

void multiply(PixelRow<const float> from,
              const float* panel,
              int64_t blocks,
              int64_t depth,
              int64_t pixels,
              PixelRow<float> to) {
  using Blocks = void(PixelRow<const float>, const float*, int64_t, int64_t, PixelRow<float>);
  static constexpr auto kOf = []<int64_t... kLess>(std::integer_sequence<int64_t, kLess...>) {
    return std::array<Blocks*, kMostBlocks>{multiply_blocks<kLess + 1>...};
  }(std::make_integer_sequence<int64_t, kMostBlocks>());
  kOf[static_cast<size_t>(blocks - 1)](from, panel, depth, pixels, to);
}

}  // namespace

template <>
const PixelProducts& pixel_products<kLanes>() {
  static constexpr PixelProducts kProducts = {
      .lanes = kLanes, .most_blocks = kMostBlocks, .pack = pack, .multiply = multiply};
  return kProducts;
}

}  // namespace wick::runtime
