#include "wick/nn/losses/losses.h"

#include <cmath>
#include <limits>
#include <vector>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

namespace wick::nn {
namespace {

using testing::error_of;
using testing::expect_values;
using testing::kF32Tolerance;

Tensor labels_of(const std::vector<int64_t>& labels) {
  return from_vector(labels, {static_cast<int64_t>(labels.size())});
}

TEST(NllLoss, IsTheMeanOfTheLabelsEntries) {
  const Tensor log_probs = tensor({{-1, -2, -3}, {-4, -5, -6}});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({2, 0})).item<float>(), 3.5F);
}

TEST(NllLoss, TakesLabelsOfAnyIntegerDtypeAndLeadingAxes) {
  const Tensor log_probs = arange(12, DType::f32).reshape({2, 2, 3});
  const Tensor labels = from_vector(std::vector<uint8_t>{0, 1, 2, 0}, {2, 2});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels).item<float>(), -(0 + 4 + 8 + 9) / 4.0F);
}

TEST(NllLoss, IgnoresInfinitiesOfOtherClasses) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor log_probs = tensor({{-inf, -1}, {-2, -inf}});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({1, 0})).item<float>(), 1.5F);
}

TEST(CrossEntropy, HasTheGradientSoftmaxMinusOneHot) {
  Tensor logits = tensor({{1, 2, 3}, {1, 1, 1}});
  logits.requires_grad_();
  const double total = std::exp(1) + std::exp(2) + std::exp(3);

  const Tensor loss = cross_entropy(logits, labels_of({2, 1}));
  loss.backward();

  EXPECT_NEAR(loss.item<double>(), (std::log(total) - 3 + std::log(3)) / 2, kF32Tolerance);
  const double third = 1.0 / 6;
  expect_values(logits.grad(),
                {2, 3},
                {std::exp(1) / total / 2,
                 std::exp(2) / total / 2,
                 (std::exp(3) / total - 1) / 2,
                 third,
                 third - 0.5,
                 third},
                kF32Tolerance);
}

TEST(CrossEntropy, IsStableForLargeLogits) {
  EXPECT_NEAR(cross_entropy(tensor({{1e4F, 0}}), labels_of({1})).item<double>(), 1e4, 1e-2);
}

TEST(MseLoss, IsTheMeanSquare) {
  Tensor x = tensor({1, 2, 3});
  x.requires_grad_();

  const Tensor loss = mse_loss(x, tensor({2, 2, 5}));
  loss.backward();

  EXPECT_FLOAT_EQ(loss.item<float>(), 5.0F / 3);
  expect_values(x.grad(), {3}, {-2.0 / 3, 0, -4.0 / 3}, kF32Tolerance);
}

TEST(Losses, RefuseTypesThatDoNotFit) {
  EXPECT_EQ(error_of([] { static_cast<void>(nll_loss(ones({4, 3}), labels_of({1, 2}))); }),
            "nll_loss: labels must be integers of the shape of the scores without its last axis: "
            "scores f32[4,3], labels i64[2]");
  EXPECT_EQ(error_of([] { static_cast<void>(cross_entropy(ones({4, 3}), ones({4}))); }),
            "cross_entropy: labels must be integers of the shape of the scores without its last "
            "axis: scores f32[4,3], labels f32[4]");
  EXPECT_EQ(error_of([] { static_cast<void>(mse_loss(ones({4, 1}), ones({4}))); }),
            "mse_loss: types differ: prediction f32[4,1], target f32[4]");
}

}  // namespace
}  // namespace wick::nn
