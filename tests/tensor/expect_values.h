#pragma once

// Comparing a tensor with values worked out by hand, and one to begin with.

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "wick/tensor/ops.h"

namespace wick::testing_support {

/// Shape and values; `tolerance` is absolute, 0 for exact results. NaN equals NaN.
inline void expect_values(const Tensor& tensor,
                          const Shape& shape,
                          const std::vector<double>& values,
                          double tolerance = 0) {
  ASSERT_EQ(to_string(tensor.shape()), to_string(shape));
  const std::vector<double> got = tensor.to_vector<double>();
  ASSERT_EQ(got.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    } else if (std::isinf(values[i])) {
      EXPECT_EQ(got[i], values[i]) << "element " << i;
    } else {
      EXPECT_NEAR(got[i], values[i], tolerance) << "element " << i;
    }
  }
}

/// 0, 1, 2, ... row by row.
inline Tensor counting(const Shape& shape, DType dtype = DType::f32) {
  return arange(shape.numel(), dtype).reshape(shape);
}

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// float32 rounding of results of order 1, through a handful of ops.
inline constexpr double kFloatTolerance = 2e-6;

}  // namespace wick::testing_support
