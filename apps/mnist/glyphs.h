#pragma once

// The shapes of the ten digits.

#include <span>
#include <vector>

namespace mnist {

struct Point {
  double x = 0;
  double y = 0;
};

/// A pen movement as a polyline, in a square from (-1, -1) top left to (1, 1) bottom right.
using Stroke = std::vector<Point>;
using Glyph = std::vector<Stroke>;

/// The ways to write a digit, 0 to 9.
std::span<const Glyph> glyphs_of(int digit);

}  // namespace mnist
