#pragma once

// The innermost loop of pointwise convolutions. Internal to runtime/.

#include <cstdint>

#include "wick/runtime/pixel_row.h"
#include "wick/runtime/stored_matrix.h"

namespace wick::runtime {

struct PixelProducts {
  /// Channels of a block.
  int64_t lanes;

  /// The most blocks of results that one panel of weights is for.
  int64_t most_blocks;

  /// Copies weights, a row for each of `depth` summands and a column for each result, into a panel
  /// of as many elements, in the order in which they are multiplied. Transposed, `weights` has a
  /// row for each result. `depth` is a multiple of `lanes`.
  void (*pack)(
      StoredMatrix weights, bool is_transposed, int64_t blocks, int64_t depth, float* panel);

  /// Of each pixel, results become the sums over all channels of `from` times their weights.
  void (*multiply)(PixelRow<const float> from,
                   const float* panel,
                   int64_t blocks,
                   int64_t depth,
                   int64_t pixels,
                   PixelRow<float> to);
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const PixelProducts& pixel_products();
template <>
const PixelProducts& pixel_products<8>();
template <>
const PixelProducts& pixel_products<16>();

}  // namespace wick::runtime
