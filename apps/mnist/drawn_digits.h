#pragma once

// Handwriting without a data set: digits drawn as strokes under random distortions, so that the
// training program runs on any machine.

#include <cstdint>
#include <vector>

namespace mnist {

inline constexpr int kImageSide = 28;

struct DrawnDigits {
  std::vector<uint8_t> images;  // [count, 28, 28], ink is 255
  std::vector<uint8_t> labels;  // [count]
};

/// `count` digits in random order of classes; the seed decides every pixel. Each is one of the
/// glyph's variants with moved vertices, under a random affine map, with random thickness, ink and
/// noise.
DrawnDigits draw_digits(int64_t count, uint64_t seed);

}  // namespace mnist
