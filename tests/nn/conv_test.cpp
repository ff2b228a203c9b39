#include "wick/nn/conv.h"

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

namespace wick::nn {
namespace {

using testing_support::error_of;
using testing_support::expect_values;
using testing_support::kF32Tolerance;

TEST(Conv2d, SlidesItsWindow) {
  Conv2d layer(1, 2, {2, 2});
  Parameter(layer.weight()).assign(tensor({1, 0, 0, 1, 1, 1, 1, 1}).reshape({2, 1, 2, 2}));
  Parameter(layer.bias()).assign(tensor({100, 0}));

  const Tensor y = layer(arange(9, DType::f32).reshape({1, 1, 3, 3}));

  expect_values(y, {1, 2, 2, 2}, {104, 106, 110, 112, 8, 12, 20, 24}, kF32Tolerance);
}

TEST(Conv2d, HasStridePaddingAndGroups) {
  Conv2d padded(3, 8, {5, 5}, {.padding = {2, 2}});
  Conv2d strided(3, 8, {3, 3}, {.stride = {2, 2}, .padding = {1, 1}}, /*bias=*/false);
  Conv2d grouped(4, 8, {3, 3}, {.groups = 2});

  EXPECT_EQ(to_string(padded(ones({2, 3, 7, 9})).shape()), "[2,8,7,9]");
  EXPECT_EQ(to_string(strided(ones({2, 3, 7, 9})).shape()), "[2,8,4,5]");
  EXPECT_EQ(to_string(grouped(ones({2, 4, 7, 9})).shape()), "[2,8,5,7]");
  EXPECT_EQ(to_string(grouped.weight().shape()), "[8,2,3,3]");
  EXPECT_EQ(strided.parameters().size(), 1U);
}

TEST(Conv2d, HasGradients) {
  Conv2d layer(1, 1, {2, 2});

  layer(arange(9, DType::f32).reshape({1, 1, 3, 3})).sum().backward();

  expect_values(layer.weight().grad(), {1, 1, 2, 2}, {8, 12, 20, 24}, kF32Tolerance);
  expect_values(layer.bias().grad(), {1}, {4}, kF32Tolerance);
}

TEST(Conv2d, RefusesWrongOptions) {
  EXPECT_EQ(error_of([] { const Conv2d layer(3, 8, {5, 5, 5}); }),
            "conv2d: kernel must be one number or 2, one an axis, is [5, 5, 5]");
  EXPECT_EQ(error_of([] { const Conv2d layer(3, 8, {5, 5}, {.groups = 2}); }),
            "conv2d: 3 channels in and 8 out do not divide into 2 groups");
}

}  // namespace
}  // namespace wick::nn
