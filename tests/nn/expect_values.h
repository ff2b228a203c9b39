#pragma once

// Comparing tensors with expected numbers.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "wick/tensor/tensor.h"

namespace wick::testing_support {

/// Shape and elements, to a tolerance relative to numbers above 1 and absolute below.
inline void expect_values(const Tensor& got,
                          const Shape& shape,
                          const std::vector<double>& wanted,
                          double tolerance) {
  ASSERT_EQ(to_string(got.shape()), to_string(shape));
  const std::vector<double> values = got.to_vector<double>();
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(values[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "at " << i;
  }
}

/// Some roundings of f32.
inline constexpr double kF32Tolerance = 2e-6;

}  // namespace wick::testing_support
