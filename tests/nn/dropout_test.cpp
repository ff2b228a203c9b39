#include "wick/nn/dropout.h"

#include <algorithm>
#include <cmath>

#include "expect_error.h"
#include <gtest/gtest.h>

#include "wick/nn/losses/losses.h"

namespace wick::nn {
namespace {

using testing::error_of;

TEST(Dropout, DropsItsShareAndScalesTheRest) {
  manual_seed(3);
  Dropout layer(0.2);

  const std::vector<float> y = layer(ones({100000})).to_vector<float>();

  const auto dropped = std::ranges::count(y, 0.0F);
  const auto kept = std::ranges::count(y, 1.25F);
  EXPECT_EQ(dropped + kept, 100000);
  // Five standard deviations of the binomial: sqrt(100000 * 0.2 * 0.8) = 126.
  EXPECT_NEAR(static_cast<double>(dropped), 20000, 632);
}

TEST(Dropout, DrawsAnewAtEachCallAndAgainFromASeed) {
  Dropout layer(0.5);
  const Tensor x = ones({1000});

  manual_seed(5);
  const auto first = layer(x).to_vector<float>();
  const auto second = layer(x).to_vector<float>();
  manual_seed(5);
  const auto again = layer(x).to_vector<float>();

  EXPECT_NE(first, second);
  EXPECT_EQ(first, again);
}

TEST(Dropout, DoesNothingInEvaluation) {
  Dropout layer(0.5);
  layer.eval();
  const Tensor x = ones({10});

  EXPECT_EQ(layer(x).node(), x.node());
}

TEST(Dropout, GradientFollowsTheMask) {
  Dropout layer(0.5);
  Tensor x = ones({1000});
  x.requires_grad_();

  const Tensor y = layer(x);
  y.sum().backward();

  EXPECT_EQ(y.to_vector<float>(), x.grad().to_vector<float>());
}

TEST(Dropout, RefusesOtherRates) {
  EXPECT_EQ(error_of([] { const Dropout layer(1.0); }),
            "dropout: the rate must be in [0, 1), it is 1");
  EXPECT_EQ(error_of([] { const Dropout layer(-0.5); }),
            "dropout: the rate must be in [0, 1), it is -0.5");
}

}  // namespace
}  // namespace wick::nn
