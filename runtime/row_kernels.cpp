#include "wick/runtime/row_kernels.h"

#include <algorithm>

#include "wick/runtime/register_tile.h"

namespace wick::runtime {
namespace {

template <int64_t kRows>
struct BlockWeights {
  const float* weights;

  WICK_INLINE_VECTORS float operator()(int64_t tap, int64_t row) const {
    return weights[tap * kRows + row];
  }
};

struct TapColumns {
  const float* source;
  const int64_t* offsets;

  WICK_INLINE_VECTORS const float* operator()(int64_t tap) const { return source + offsets[tap]; }
};

/// Columns of a row of the result in a block of channels. The last tile covers columns again, if
/// need be, rather than reach beyond the end.
template <int64_t kRows, int64_t kVectors>
WICK_VECTORS void convolve_row(const ConvolutionRow& task) {
  constexpr int64_t kColumns = kVectors * kLanes;
  if constexpr (kVectors > 1) {
    if (task.columns_before + task.columns < kColumns) {
      convolve_row<kRows, kVectors / 2>(task);
      return;
    }
  }
  for (int64_t next = 0; next < task.columns; next += kColumns) {
    const int64_t last = task.columns - kColumns;
    const int64_t column = std::max(-task.columns_before, std::min(next, last));
    RegisterTile<kRows, kVectors> tile;
    tile.multiply(task.taps,
                  BlockWeights<kRows>{task.weights},
                  TapColumns{task.source + column, task.offsets});
    if (column <= last) {
      tile.store_to(task.out + column, task.channel_stride, /*adds=*/false);
      continue;
    }
    float whole[kRows * kColumns];  // the row is shorter than a tile
    tile.store_to(whole, kColumns, /*adds=*/false);
    for (int64_t row = 0; row < kRows; ++row)
      std::copy_n(whole + row * kColumns, task.columns, task.out + row * task.channel_stride);
  }
}

}  // namespace

/// Tiles keep both multipliers busy within 16 registers.
template <>
const RowKernels& row_kernels<kLanes>() {
  static constexpr RowKernels kKernels = {
      .implementation = kLanes == 16 ? "convolution by rows, vectors of 16" : "convolution by rows",
      .chunk_of_few = 8 * kLanes,
      .chunk_of_more = 6 * kLanes,
      .convolve_row = {convolve_row<1, 8>,
                       convolve_row<2, 4>,
                       convolve_row<3, 3>,
                       convolve_row<4, 3>,
                       convolve_row<5, 2>,
                       convolve_row<6, 2>}};
  return kKernels;
}

}  // namespace wick::runtime
