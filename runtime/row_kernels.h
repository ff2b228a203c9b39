#pragma once

// The innermost loops of convolutions with vectors along the rows of images. Internal to runtime/.

#include <cstdint>
#include <string_view>

namespace wick::runtime {

/// Of an image, or a chunk of it, in a block of channels.
struct ConvolutionRow {
  const float* source;  // laid out
  const int64_t* offsets;
  int64_t taps;
  const float* weights;  // of a block, tap by tap
  float* out;
  int64_t channel_stride;
  int64_t columns;
  int64_t columns_before;  // that lie to the left of the source and of the result
};

struct RowKernels {
  static constexpr int64_t kMostChannels = 6;

  std::string_view implementation;
  int64_t chunk_of_few;  // columns, a multiple of the tiles' of 1 or 2 channels
  int64_t chunk_of_more;

  /// By the number of channels, from 1 on.
  void (*convolve_row[kMostChannels])(const ConvolutionRow&);

  /// Columns that are convolved in all passes before the next ones.
  [[nodiscard]] int64_t chunk(int64_t channels) const {
    return channels <= 2 ? chunk_of_few : chunk_of_more;
  }
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const RowKernels& row_kernels();

}  // namespace wick::runtime
