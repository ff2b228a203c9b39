#include "glyphs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mnist {

namespace {

/// Part of an ellipse; angles in degrees from the right, clockwise on the page.
struct Arc {
  Point center;
  double rx;
  double ry;
  double from;
  double to;
};

Stroke arc(const Arc& a) {
  constexpr double kStep = 18;
  const int pieces = std::max(2, static_cast<int>(std::ceil(std::abs(a.to - a.from) / kStep)));
  Stroke stroke;
  for (int i = 0; i <= pieces; ++i) {
    const double degrees = a.from + (a.to - a.from) * i / pieces;
    const double angle = degrees * std::numbers::pi / 180;
    stroke.push_back({a.center.x + a.rx * std::cos(angle), a.center.y + a.ry * std::sin(angle)});
  }
  return stroke;
}

Stroke joined(std::initializer_list<Stroke> parts) {
  Stroke whole;
  for (const Stroke& part : parts) {
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

using Variants = std::vector<Glyph>;

Variants zero() {
  return {{arc({{0, 0}, 0.55, 0.9, -90, 270})}, {arc({{0, 0}, 0.4, 0.9, -60, 290})}};
}

Variants one() {
  return {{{{0, -0.9}, {0, 0.9}}},
          {{{-0.35, -0.55}, {0.05, -0.9}, {0.05, 0.9}}},
          {{{-0.35, -0.55}, {0.05, -0.9}, {0.05, 0.9}}, {{-0.35, 0.9}, {0.4, 0.9}}}};
}

Variants two() {
  const Stroke hook = arc({{0, -0.4}, 0.5, 0.5, -170, 30});
  return {{joined({hook, {{-0.5, 0.9}, {0.6, 0.9}}})},
          {joined({hook,
                   {{-0.2, 0.6}},
                   arc({{-0.35, 0.75}, 0.2, 0.15, -60, -300}),
                   {{0.1, 0.75}, {0.6, 0.85}}})}};
}

Variants three() {
  return {
      {joined({arc({{0, -0.45}, 0.45, 0.45, -160, 80}), arc({{0, 0.43}, 0.52, 0.47, -80, 160})})},
      {joined({{{-0.45, -0.9}, {0.45, -0.9}, {-0.05, -0.15}},
               arc({{-0.02, 0.4}, 0.5, 0.5, -80, 160})})}};
}

Variants four() {
  return {{{{0.2, -0.9}, {-0.6, 0.3}, {0.6, 0.3}}, {{0.25, -0.3}, {0.25, 0.9}}},
          {{{-0.45, -0.85}, {-0.5, 0.05}, {0.5, 0.05}}, {{0.4, -0.85}, {0.35, 0.9}}}};
}

Variants five() {
  return {{{{0.5, -0.9}, {-0.4, -0.9}},
           joined({{{-0.4, -0.9}, {-0.45, -0.1}}, arc({{-0.02, 0.35}, 0.52, 0.53, -130, 150})})},
          {joined({{{0.5, -0.85}, {-0.35, -0.85}, {-0.42, -0.1}},
                   arc({{0, 0.33}, 0.5, 0.5, -120, 130})})}};
}

Variants six() {
  return {{joined({{{0.35, -0.9}, {-0.1, -0.5}, {-0.42, 0.05}},
                   arc({{0, 0.4}, 0.47, 0.48, 180, -190})})},
          {joined({arc({{0.4, 0.2}, 0.9, 1.1, -110, -180}),
                   arc({{-0.02, 0.42}, 0.46, 0.45, 180, -180})})}};
}

Variants seven() {
  return {{{{-0.5, -0.85}, {0.5, -0.85}, {-0.1, 0.9}}},
          {{{-0.5, -0.85}, {0.5, -0.85}, {0.05, 0.1}, {-0.15, 0.9}}, {{-0.25, 0}, {0.4, 0}}}};
}

Variants eight() {
  return {{arc({{0, -0.45}, 0.4, 0.42, 90, 450}), arc({{0, 0.43}, 0.5, 0.47, -90, 270})},
          {joined({arc({{0.02, -0.45}, 0.4, 0.42, -20, -270}),
                   arc({{0, 0.43}, 0.45, 0.45, -90, 270}),
                   {{0.1, -0.1}, {0.42, -0.6}}})}};
}

Variants nine() {
  const Stroke loop = arc({{-0.02, -0.42}, 0.46, 0.46, 0, -360});
  return {{joined({loop, {{0.42, 0.2}, {0.3, 0.9}}})},
          {joined({loop, arc({{-0.1, 0.2}, 0.55, 0.65, -20, 130})})}};
}

}  // namespace

std::span<const Glyph> glyphs_of(int digit) {
  static const std::array<Variants, 10> kDigits = {
      zero(), one(), two(), three(), four(), five(), six(), seven(), eight(), nine()};
  return kDigits[static_cast<size_t>(digit)];
}

}  // namespace mnist
