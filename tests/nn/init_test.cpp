#include "wick/nn/init.h"

#include <algorithm>
#include <cmath>

#include "expect_error.h"
#include <gtest/gtest.h>

#include "wick/nn/conv.h"
#include "wick/nn/linear.h"

namespace wick::nn::init {
namespace {

struct Moments {
  double mean;
  double deviation;
  double largest;
};

Moments moments_of(const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  double sum = 0;
  double squares = 0;
  double largest = 0;
  for (const double v : values) {
    sum += v;
    squares += v * v;
    largest = std::max(largest, std::abs(v));
  }
  const auto n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n), largest};
}

// 80,000 draws: the deviation of the mean is 0.0035 of the distribution's, and of the deviation
// below 0.0025 of it; five of these are allowed.
const Shape kShape = {200, 100, 2, 2};

void expect_uniform(const Tensor& x, double bound) {
  const Moments m = moments_of(x);
  EXPECT_LE(m.largest, bound);
  EXPECT_GT(m.largest, 0.999 * bound);
  EXPECT_NEAR(m.mean, 0, 0.018 * bound / std::sqrt(3));
  EXPECT_NEAR(m.deviation, bound / std::sqrt(3), 0.0125 * bound / std::sqrt(3));
}

void expect_normal(const Tensor& x, double deviation) {
  const Moments m = moments_of(x);
  EXPECT_NEAR(m.mean, 0, 0.018 * deviation);
  EXPECT_NEAR(m.deviation, deviation, 0.0125 * deviation);
  EXPECT_GT(m.largest, 3.5 * deviation);
}

TEST(Init, CountsFans) {
  EXPECT_EQ(fans({20, 10, 3, 5}).in, 150);
  EXPECT_EQ(fans({20, 10, 3, 5}).out, 300);
  EXPECT_EQ(testing_support::error_of([] { static_cast<void>(fans({20})); }),
            "init: [20] has fewer than two axes");
}

TEST(Init, Kaiming) {
  manual_seed(1);
  expect_uniform(kaiming_uniform(kShape), std::sqrt(6.0 / 400));
  expect_uniform(kaiming_uniform(kShape, std::sqrt(5.0)), 1 / std::sqrt(400.0));
  expect_normal(kaiming_normal(kShape), std::sqrt(2.0 / 400));
}

TEST(Init, Xavier) {
  manual_seed(2);
  expect_uniform(xavier_uniform(kShape), std::sqrt(6.0 / 1200));
  expect_normal(xavier_normal(kShape, 2), 2 * std::sqrt(2.0 / 1200));
}

TEST(Init, LayersStartByTheirFanIn) {
  manual_seed(3);
  const Linear linear(400, 200);
  const Conv2d conv(100, 200, {2, 2});

  expect_uniform(linear.weight(), 1 / std::sqrt(400.0));
  expect_uniform(conv.weight(), 1 / std::sqrt(400.0));
  EXPECT_LE(moments_of(linear.bias()).largest, 0.05);
  EXPECT_GT(moments_of(conv.bias()).largest, 0.045);
}

TEST(Init, TheSeedDecides) {
  manual_seed(4);
  const auto first = Linear(10, 10).weight().value().to_vector<float>();
  const auto second = Linear(10, 10).weight().value().to_vector<float>();
  manual_seed(4);
  const auto again = Linear(10, 10).weight().value().to_vector<float>();

  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace wick::nn::init
