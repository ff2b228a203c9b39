#pragma once

// Rows of plain images as convolutions read them with vectors along their columns: columns that are
// a stride apart lie next to each other, zeros stand for the padding. Internal to runtime/.

#include <cstdint>

namespace wick::runtime {

/// How rows of an image are laid out: for each channel, for each row, for each remainder of a
/// column's number by `phases`, `pitch` columns from number `first` of that phase on.
struct RowLayout {
  int64_t channels = 0;
  int64_t height = 0;  // of the image
  int64_t width = 0;
  int64_t phases = 1;
  int64_t first = 0;  // perhaps below 0
  int64_t pitch = 0;

  [[nodiscard]] int64_t row_elements() const { return phases * pitch; }

  [[nodiscard]] int64_t elements(int64_t rows) const { return channels * rows * row_elements(); }
};

/// Lays out rows [begin, begin + rows) of an image, zeros where it has none.
void lay_out_rows(
    const RowLayout& layout, const float* image, int64_t begin, int64_t rows, float* to);

/// Column j of phase p, at from[p * pitch + j], becomes to[j * phases + p].
void mix_phases(const float* from, int64_t pitch, int64_t phases, int64_t width, float* to);

/// Rows of a result that one thread works on at a time, since the rows of images that they need fit
/// in its cache: `window` for one, `stride` more for the next.
int64_t rows_that_fit(int64_t row_bytes, int64_t stride, int64_t window, int64_t rows);

}  // namespace wick::runtime
