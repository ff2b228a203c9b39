#include "wick/runtime/image_rows.h"

#include <algorithm>

#include "wick/runtime/host_cpu.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// Every second element from `from` on.
WICK_VECTORS void copy_every_second(const float* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + kLanes < count; i += kLanes) {  // reads one element behind the last
    const auto low = load<Floats>(from + 2 * i);
    const auto high = load<Floats>(from + 2 * i + kLanes);
    store(to + i, __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14));
  }
  for (; i < count; ++i)
    to[i] = from[2 * i];
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

/// Columns of one phase of a row.
void lay_out_phase(const RowLayout& layout, const float* row, int64_t phase, float* to) {
  // Place m holds column (first + m) * phases + phase.
  const int64_t columns = (layout.width - phase + layout.phases - 1) / layout.phases;
  const int64_t begin = std::clamp<int64_t>(-layout.first, 0, layout.pitch);
  const int64_t end = std::clamp(columns - layout.first, begin, layout.pitch);
  if (begin > 0) std::fill_n(to, begin, 0.0F);
  if (end < layout.pitch) std::fill(to + end, to + layout.pitch, 0.0F);
  const float* from = row + (layout.first + begin) * layout.phases + phase;
  if (layout.phases == 1) {
    std::copy_n(from, end - begin, to + begin);
  } else if (layout.phases == 2) {
    copy_every_second(from, end - begin, to + begin);
  } else {
    for (int64_t m = begin; m < end; ++m, from += layout.phases)
      to[m] = *from;
  }
}

}  // namespace

void lay_out_rows(
    const RowLayout& layout, const float* image, int64_t begin, int64_t rows, float* to) {
  for (int64_t channel = 0; channel < layout.channels; ++channel) {
    const float* plane = image + channel * layout.height * layout.width;
    for (int64_t row = begin; row < begin + rows; ++row) {
      if (row < 0 || row >= layout.height) {
        to = std::fill_n(to, layout.row_elements(), 0.0F);
        continue;
      }
      for (int64_t phase = 0; phase < layout.phases; ++phase, to += layout.pitch)
        lay_out_phase(layout, plane + row * layout.width, phase, to);
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
