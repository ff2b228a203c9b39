#include "wick/nn/batch_norm.h"

#include <cmath>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/nn/optim/sgd.h"
#include "wick/tensor/plan_cache.h"

namespace wick::nn {
namespace {

using testing_support::error_of;
using testing_support::expect_values;
using testing_support::kF32Tolerance;

/// Two channels over a batch of two images of one row: 1 2 3 4 and ten times that.
Tensor two_channels() {
  return tensor({1, 2, 10, 20, 3, 4, 30, 40}).reshape({2, 2, 1, 2});
}

TEST(BatchNorm2d, NormalisesByTheBatchInTraining) {
  BatchNorm2d layer(2, {.eps = 0});
  const double a = 1.5 / std::sqrt(1.25);  // of 1 2 3 4: mean 2.5, variance 1.25
  const double b = 0.5 / std::sqrt(1.25);

  expect_values(layer(two_channels()), {2, 2, 1, 2}, {-a, -b, -a, -b, b, a, b, a}, kF32Tolerance);
}

TEST(BatchNorm2d, MovesRunningStatistics) {
  BatchNorm2d layer(2);

  static_cast<void>(layer(two_channels()));

  const double var = 5.0 / 3;  // unbiased, of 1 2 3 4
  expect_values(layer.running_mean(), {2}, {0.25, 2.5}, kF32Tolerance);
  expect_values(layer.running_var(), {2}, {0.9 + 0.1 * var, 0.9 + 10 * var}, kF32Tolerance);
  EXPECT_FALSE(layer.running_mean().requires_grad());

  static_cast<void>(layer(two_channels()));
  expect_values(layer.running_mean(), {2}, {0.475, 4.75}, kF32Tolerance);
}

TEST(BatchNorm2d, UsesRunningStatisticsInEvaluation) {
  BatchNorm2d layer(2, {.eps = 0});
  layer.eval();

  expect_values(layer(two_channels()), {2, 2, 1, 2}, {1, 2, 10, 20, 3, 4, 30, 40}, kF32Tolerance);
  expect_values(layer.running_mean(), {2}, {0, 0}, 0);
}

TEST(BatchNorm2d, StatisticsAreComputedByTheStep) {
  BatchNorm2d layer(2);
  optim::SGD optimizer(layer.parameters(), {.lr = 0.1});
  const Tensor x = two_channels();
  materialize(layer.running_mean(), layer.running_var());
  const int64_t before = wick::detail::plan_cache_stats().captures;

  square(layer(x)).sum().backward();
  optimizer.step();

  EXPECT_EQ(wick::detail::plan_cache_stats().captures, before + 1);
  EXPECT_TRUE(layer.running_mean().is_materialized());
  EXPECT_TRUE(layer.running_var().is_materialized());
}

TEST(BatchNorm2d, BoundsWhatWaitsWithoutAStep) {
  BatchNorm2d layer(2);
  const Tensor x = two_channels();
  const auto before = wick::detail::plan_cache_stats();

  for (int i = 0; i < 3000; ++i) {
    static_cast<void>(layer(x));
  }

  const auto after = wick::detail::plan_cache_stats();
  EXPECT_GE(after.captures, before.captures + 3000 / 16);
  EXPECT_LE(after.misses, before.misses + 3);
  expect_values(layer.running_mean(), {2}, {2.5, 25}, 1e-4);  // many roundings of the mean
}

TEST(BatchNorm2d, RefusesOtherChannels) {
  BatchNorm2d layer(2);

  EXPECT_EQ(error_of([&] { static_cast<void>(layer(ones({2, 3, 4, 4}))); }),
            "batch_norm2d: x must be [n,2,h,w], x is f32[2,3,4,4]");
  EXPECT_EQ(error_of([&] { static_cast<void>(layer(ones({2, 2}))); }),
            "batch_norm2d: x must be [n,2,h,w], x is f32[2,2]");
}

}  // namespace
}  // namespace wick::nn
