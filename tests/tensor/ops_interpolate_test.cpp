// Interpolation against its definition, element by element in double.

#include "wick/tensor/ops_interpolate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wick/tensor/ops.h"

namespace wick {
namespace {

struct Case {
  int64_t in;
  int64_t out;
};

double cubic_weight(double d) {
  constexpr double a = -0.75;
  d = std::abs(d);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

/// Element i of x, whose neighbours beyond the ends are its last elements.
double resampled(const std::vector<double>& x, int64_t i, int64_t out, Interpolation mode) {
  const auto in = std::ssize(x);
  const auto at = [&](int64_t k) {
    return x[static_cast<size_t>(std::clamp<int64_t>(k, 0, in - 1))];
  };
  const double ratio = static_cast<double>(in) / static_cast<double>(out);
  double source = ratio * (static_cast<double>(i) + 0.5) - 0.5;
  if (mode == Interpolation::linear) source = std::max(source, 0.0);
  const auto low = static_cast<int64_t>(std::floor(source));
  const double t = source - static_cast<double>(low);
  if (mode == Interpolation::linear) return at(low) * (1 - t) + at(low + 1) * t;
  double sum = 0;
  for (int64_t k = -1; k <= 2; ++k)
    sum += at(low + k) * cubic_weight(t - static_cast<double>(k));
  return sum;
}

std::vector<double> wave(int64_t count) {
  std::vector<double> x;
  for (int64_t i = 0; i < count; ++i)
    x.push_back(std::sin(1.7 * static_cast<double>(i)) + 0.1 * static_cast<double>(i));
  return x;
}

class Interpolated : public testing::TestWithParam<Case> {
 protected:
  /// Along the columns of two rows, or the rows of two columns, of an image.
  void check(Interpolation mode, bool columns) {
    const auto [in, out] = GetParam();
    const std::vector<double> x = wave(in);
    const Tensor line = from_vector(x, {1, 1, 1, in});
    Tensor image = concat({line, line * 2}, 2);
    if (columns) image = transpose(image, 2, 3);
    const Axes size = columns ? Axes{out, 2} : Axes{2, out};
    Tensor y = interpolate(image, {.size = size, .mode = mode});
    if (columns) y = transpose(y, 2, 3);

    const std::vector<double> values = y.to_vector<double>();
    for (int64_t i = 0; i < out; ++i) {
      const double expected = resampled(x, i, out, mode);
      EXPECT_NEAR(values[static_cast<size_t>(i)], expected, 1e-12) << "element " << i;
      EXPECT_NEAR(values[static_cast<size_t>(out + i)], 2 * expected, 1e-12) << "element " << i;
    }
  }
};

TEST_P(Interpolated, LinearIsItsDefinition) {
  check(Interpolation::linear, /*columns=*/false);
  check(Interpolation::linear, /*columns=*/true);
}

TEST_P(Interpolated, CubicIsItsDefinition) {
  check(Interpolation::cubic, /*columns=*/false);
  check(Interpolation::cubic, /*columns=*/true);
}

INSTANTIATE_TEST_SUITE_P(Extents,
                         Interpolated,
                         testing::Values(Case{4, 8},
                                         Case{5, 15},
                                         Case{3, 24},
                                         Case{2, 20},
                                         Case{8, 4},
                                         Case{9, 3},
                                         Case{10, 4},
                                         Case{4, 6},
                                         Case{6, 4},
                                         Case{1, 2},
                                         Case{1, 5},
                                         Case{2, 1},
                                         Case{5, 7},
                                         Case{40, 80}),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::to_string(info.param.in) + "to" +
                                  std::to_string(info.param.out);
                         });

TEST(Interpolate, WhatHasNoWeightMayBeInfinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = reshape(tensor({infinity, 1.F, 2.F, 4.F, -infinity}), {1, 1, 5});

  const Tensor y = interpolate(x, {.size = {10}, .mode = Interpolation::linear});

  EXPECT_EQ(y.to_vector<float>(),
            (std::vector<float>{infinity,
                                infinity,
                                infinity,
                                1.25F,
                                1.75F,
                                2.5F,
                                3.5F,
                                -infinity,
                                -infinity,
                                -infinity}));
}

}  // namespace
}  // namespace wick
