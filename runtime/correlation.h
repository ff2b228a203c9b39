#pragma once

// Convolutions of plain images, and the gradients of their inputs, as sums over the taps of a
// window. Internal to runtime/.

#include <cstdint>
#include <vector>

#include "wick/runtime/image_rows.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// What a tap of the window multiplies: a laid out row, from a column on.
struct Tap {
  int64_t channel = 0;
  int64_t row = 0;  // from the first row of the source that a row of the result needs
  int64_t phase = 0;
  int64_t column = 0;  // from the first of the layout
  int64_t weight = 0;  // offset in the weights, for the first channel of the result
};

/// The taps of those elements of the result that lie at (row, column) from multiples of its
/// strides.
struct Pass {
  int64_t row = 0;
  int64_t column = 0;
  std::vector<Tap> taps;
};

/// A convolution, or the gradient of its inputs, as sums of taps:
/// result[c, i * row_stride + pass.row, j * column_stride + pass.column] =
///   sum over taps of weight[c] * source[channel, i * source_stride + row, phase, j + column].
struct Correlation {
  RowLayout source;              // without a pitch
  int64_t column_reach = 0;      // of the taps of one j: from the first column to the last
  int64_t source_stride = 1;     // rows of the source from i to i + 1
  int64_t first_source_row = 0;  // of i = 0
  int64_t source_rows = 1;       // that one i needs
  int64_t channels = 0;          // of the result
  int64_t height = 0;
  int64_t width = 0;
  int64_t row_stride = 1;
  int64_t column_stride = 1;
  int64_t weight_stride = 0;  // in the weights from channel to channel of the result
  std::vector<Pass> passes = {};

  /// Numbers of i and j.
  [[nodiscard]] int64_t row_groups() const { return (height + row_stride - 1) / row_stride; }

  [[nodiscard]] int64_t columns() const { return (width + column_stride - 1) / column_stride; }
};

/// Of an op conv or conv_input_grad of images [n,c,columns] or [n,c,rows,columns], of whose
/// channels the weights say how many there are.
Correlation correlation_of(const LibraryOp& op);

}  // namespace wick::runtime
