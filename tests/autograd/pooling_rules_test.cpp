#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

std::vector<AvgPoolOptions> pools() {
  return {
      {.kernel = {2, 2}},
      {.kernel = {3, 2}, .stride = {1, 2}, .padding = {1, 0}},
      {.kernel = {3, 3}, .stride = {2, 2}, .padding = {1, 1}},
      {.kernel = {2, 4}, .stride = {3, 1}, .padding = {0, 2}, .count_include_pad = false},
  };
}

MaxPoolOptions max_options(const AvgPoolOptions& options) {
  return {.kernel = options.kernel, .stride = options.stride, .padding = options.padding};
}

TEST(PoolingRules, MaxEqualsDifferences) {
  for (const AvgPoolOptions& options : pools()) {
    const TensorFunction f = [&](std::span<const Tensor> x) {
      return square(max_pool2d(x[0], max_options(options)));
    };
    EXPECT_TRUE(gradients_match(f, {spread({2, 2, 5, 6}, -2, 2)})) << options.kernel[0];
  }
}

TEST(PoolingRules, MeanEqualsDifferences) {
  for (const AvgPoolOptions& options : pools()) {
    const TensorFunction f = [&](std::span<const Tensor> x) {
      return square(avg_pool2d(x[0], options));
    };
    EXPECT_TRUE(gradients_match(f, {spread({2, 2, 5, 6}, -2, 2)})) << options.kernel[0];
  }
}

TEST(PoolingRules, SecondGradientsOfMaxEqualDifferences) {
  for (const AvgPoolOptions& options : pools()) {
    const TensorFunction f = [&](std::span<const Tensor> x) {
      return pow(max_pool2d(x[0], max_options(options)), 3);
    };
    EXPECT_TRUE(second_gradients_match(f, {spread({1, 2, 5, 6}, -2, 2)}, {.tolerance = 1e-6}))
        << options.kernel[0];
  }
}

TEST(PoolingRules, SecondGradientsOfMeanEqualDifferences) {
  for (const AvgPoolOptions& options : pools()) {
    const TensorFunction f = [&](std::span<const Tensor> x) {
      return pow(avg_pool2d(x[0], options), 3);
    };
    EXPECT_TRUE(second_gradients_match(f, {spread({1, 2, 5, 6}, -2, 2)}, {.tolerance = 1e-6}))
        << options.kernel[0];
  }
}

TEST(PoolingRules, TheFirstLargestOfAWindowGetsTheCotangent) {
  Tensor x = ones({1, 1, 2, 2});
  x.requires_grad_();

  sum(max_pool2d(x, {.kernel = {2, 2}})).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 0, 0, 0}));
}

}  // namespace
}  // namespace wick
