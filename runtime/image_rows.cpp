#include "wick/runtime/image_rows.h"

#include <algorithm>

#include "wick/runtime/host_cpu.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// even[i] = from[2 * i], odd[i] = from[2 * i + 1].
WICK_VECTORS void split_pairs(const float* from, int64_t pairs, float* even, float* odd) {
  int64_t i = 0;
  for (; i + kLanes <= pairs; i += kLanes) {
    const auto low = load<Floats>(from + 2 * i);
    const auto high = load<Floats>(from + 2 * i + kLanes);
    store(even + i, __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14));
    store(odd + i, __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15));
  }
  for (; i < pairs; ++i) {
    even[i] = from[2 * i];
    odd[i] = from[2 * i + 1];
  }
}

/// to[2 * i] = even[i], to[2 * i + 1] = odd[i].
WICK_VECTORS int64_t mix_pairs(const float* even, const float* odd, int64_t width, float* to) {
  int64_t at = 0;
  for (; at + 2 * kLanes <= width; at += 2 * kLanes) {
    const auto first = load<Floats>(even + at / 2);
    const auto second = load<Floats>(odd + at / 2);
    store(to + at, __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    store(to + at + kLanes, __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
  }
  return at;
}

/// Of a laid out phase, those that hold columns of the image.
struct Places {
  int64_t begin;
  int64_t end;
};

/// Writes zeros to the others. Place m holds column (first + m) * phases + phase.
Places surround_with_zeros(const RowLayout& layout, int64_t phase, float* to) {
  const int64_t columns = (layout.width - phase + layout.phases - 1) / layout.phases;
  const int64_t begin = std::clamp<int64_t>(-layout.first, 0, layout.pitch);
  const int64_t end = std::clamp(columns - layout.first, begin, layout.pitch);
  if (begin > 0) std::fill_n(to, begin, 0.0F);
  if (end < layout.pitch) std::fill(to + end, to + layout.pitch, 0.0F);
  return {begin, end};
}

void lay_out_phase(const RowLayout& layout, const float* row, int64_t phase, float* to) {
  const auto [begin, end] = surround_with_zeros(layout, phase, to);
  const float* from = row + (layout.first + begin) * layout.phases + phase;
  if (layout.phases == 1) {
    std::copy_n(from, end - begin, to + begin);
  } else {
    for (int64_t m = begin; m < end; ++m, from += layout.phases)
      to[m] = *from;
  }
}

/// Of a stride of 2 both phases at once, which saves half of the loads.
void lay_out_pairs(const RowLayout& layout, const float* row, float* even) {
  float* odd = even + layout.pitch;
  const Places of_even = surround_with_zeros(layout, 0, even);
  const auto [begin, end] = surround_with_zeros(layout, 1, odd);
  split_pairs(row + (layout.first + begin) * 2, end - begin, even + begin, odd + begin);
  if (of_even.end > end) even[end] = row[layout.width - 1];
}

/// All phases of a row.
void lay_out_row(const RowLayout& layout, const float* row, float* to) {
  if (layout.phases == 2) return lay_out_pairs(layout, row, to);
  for (int64_t phase = 0; phase < layout.phases; ++phase)
    lay_out_phase(layout, row, phase, to + phase * layout.pitch);
}

}  // namespace

void lay_out_rows(
    const RowLayout& layout, const float* image, int64_t begin, int64_t rows, float* to) {
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    const float* plane = image + channel * layout.height * layout.width;
    for (int64_t row = begin; row < begin + rows; ++row, to += layout.row_elements()) {
      if (row < 0 || row >= layout.height) {
        std::fill_n(to, layout.row_elements(), 0.0F);
      } else {
        lay_out_row(layout, plane + row * layout.width, to);
      }
    }
  }
}

void mix_phases(const float* from, int64_t pitch, int64_t phases, int64_t width, float* to) {
  const int64_t done = phases == 2 ? mix_pairs(from, from + pitch, width, to) : 0;
  for (int64_t at = done; at < width; ++at)
    to[at] = from[at % phases * pitch + at / phases];
}

int64_t rows_that_fit(int64_t row_bytes, int64_t stride, int64_t window, int64_t rows) {
  const int64_t fitting = (core_cache_bytes() * 3 / 8 / row_bytes - window) / stride + 1;
  return std::clamp<int64_t>(fitting, std::min<int64_t>(rows, 4), rows);
}

}  // namespace wick::runtime
