#include "drawn_digits.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "glyphs.h"

#include "wick/nn/data/split_mix.h"

namespace mnist {

namespace {

using Random = wick::data::SplitMix;

/// From the glyph's square to pixels.
struct AffineMap {
  double xx, xy, yx, yy;
  Point origin;

  [[nodiscard]] Point operator()(const Point& p) const {
    return {origin.x + xx * p.x + xy * p.y, origin.y + yx * p.x + yy * p.y};
  }
};

AffineMap random_map(Random& random) {
  constexpr double kMiddle = (kImageSide - 1) / 2.0;
  const double angle = random.uniform(-17, 17) * std::numbers::pi / 180;
  const double slant = random.uniform(-0.3, 0.3);
  const double width = random.uniform(7.5, 11.5);
  const double height = random.uniform(8, 11);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  // Scale, slant to the side, rotate, move.
  return {.xx = c * width,
          .xy = (c * slant - s) * height,
          .yx = s * width,
          .yy = (s * slant + c) * height,
          .origin = {kMiddle + random.uniform(-2, 2), kMiddle + random.uniform(-2, 2)}};
}

double distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  double t = 0;
  if (length2 > 0) t = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/// One image's coverage by ink, 0 to 1.
class Canvas {
 public:
  /// A round pen of this radius from a to b; edges fade over one pixel.
  void draw_segment(const Point& a, const Point& b, double radius) {
    const double reach = radius + 0.5;
    const int top = clip(std::floor(std::min(a.y, b.y) - reach));
    const int bottom = clip(std::ceil(std::max(a.y, b.y) + reach));
    const int left = clip(std::floor(std::min(a.x, b.x) - reach));
    const int right = clip(std::ceil(std::max(a.x, b.x) + reach));
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) {
        const Point pixel = {static_cast<double>(x), static_cast<double>(y)};
        const double covered = std::clamp(reach - distance_to_segment(pixel, a, b), 0.0, 1.0);
        double& ink = ink_[y * kImageSide + x];
        ink = std::max(ink, covered);
      }
    }
  }

  void write(uint8_t* pixels, double strength, double noise, Random& random) const {
    for (int i = 0; i < kImageSide * kImageSide; ++i) {
      // The sum of two uniform numbers: most noise is weak, some is strong.
      const double speck = random.uniform(-noise, noise) + random.uniform(-noise, noise);
      pixels[i] = static_cast<uint8_t>(std::clamp(255 * (ink_[i] * strength + speck), 0.0, 255.0));
    }
  }

 private:
  static int clip(double position) {
    return static_cast<int>(std::clamp(position, 0.0, kImageSide - 1.0));
  }

  double ink_[kImageSide * kImageSide] = {};
};

Point jittered(const Point& p, double amount, Random& random) {
  return {p.x + random.uniform(-amount, amount), p.y + random.uniform(-amount, amount)};
}

void draw_digit(int digit, uint8_t* pixels, Random& random) {
  constexpr double kJitter = 0.06;
  const auto variants = glyphs_of(digit);
  const Glyph& glyph = variants[random.below(variants.size())];
  const AffineMap map = random_map(random);
  const double radius = random.uniform(0.6, 1.6);
  Canvas canvas;
  for (const Stroke& stroke : glyph) {
    Point from = map(jittered(stroke.front(), kJitter, random));
    for (size_t i = 1; i < stroke.size(); ++i) {
      const Point to = map(jittered(stroke[i], kJitter, random));
      canvas.draw_segment(from, to, radius);
      from = to;
    }
  }
  const double strength = random.uniform(0.7, 1.0);
  canvas.write(pixels, strength, random.uniform(0, 0.12), random);
}

}  // namespace

DrawnDigits draw_digits(int64_t count, uint64_t seed) {
  constexpr size_t kPixels = kImageSide * kImageSide;
  DrawnDigits digits;
  digits.images.resize(static_cast<size_t>(count) * kPixels);
  digits.labels.resize(static_cast<size_t>(count));
  Random random(seed);
  for (size_t i = 0; i < digits.labels.size(); ++i) {
    digits.labels[i] = static_cast<uint8_t>(random.below(10));
    draw_digit(digits.labels[i], digits.images.data() + i * kPixels, random);
  }
  return digits;
}

}  // namespace mnist
