#include "wick/nn/losses/losses.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "expect_values.h"
#include "gradcheck.h"
#include "support/failing_call.h"
#include <gtest/gtest.h>

namespace wick::nn {
namespace {

using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::gradients_match;
using testing_support::kF32Tolerance;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

Tensor labels_of(const std::vector<int64_t>& labels) {
  return from_vector(labels, {static_cast<int64_t>(labels.size())});
}

TEST(NllLoss, IsTheMeanOfTheLabelsEntries) {
  const Tensor log_probs = tensor({{-1, -2, -3}, {-4, -5, -6}});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({2, 0})).item<float>(), 3.5F);
}

TEST(NllLoss, TakesLabelsOfAnyIntegerDtypeAndFurtherAxes) {
  const Tensor log_probs = arange(12, DType::f32).reshape({2, 3, 2});
  const Tensor labels = from_vector(std::vector<uint8_t>{0, 1, 2, 0}, {2, 2});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels).item<float>(), -(0 + 3 + 10 + 7) / 4.0F);
}

TEST(NllLoss, LeavesOutLabelsThatAreNoClass) {
  const Tensor log_probs = tensor({{-1, -2}, {-4, -8}, {-16, -32}});

  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({1, -100, 5})).item<float>(), 2);
  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({1, 0, 0}), {.ignore_index = 0}).item<float>(), 2);
  const int64_t wraps = (int64_t{1} << 32U) + 1;  // 1 in its lower 32 bits
  EXPECT_FLOAT_EQ(nll_loss(log_probs, labels_of({1, wraps, -wraps})).item<float>(), 2);
  EXPECT_FLOAT_EQ(
      sum(cross_entropy(log_probs, labels_of({1, wraps, 2}), {.reduction = Reduction::none}))
          .item<float>(),
      cross_entropy(log_probs, labels_of({1, -1, -1})).item<float>());
  EXPECT_TRUE(std::isnan(nll_loss(log_probs, labels_of({-1, -1, -1})).item<float>()));
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

TEST(MseLoss, ComputesHalvesInFloats) {
  const Tensor x = cast(tensor({300, 0}), DType::f16);  // the square is no f16

  const Tensor loss = mse_loss(x, zeros({2}, DType::f16));

  EXPECT_EQ(loss.dtype(), DType::f16);
  EXPECT_FLOAT_EQ(loss.item<float>(), 45000 - 8);  // the nearest f16
}

TEST(Losses, HaveSecondGradients) {
  const Tensor x = spread({3, 4}, -2, 2);
  const Tensor target = spread({3, 4}, 0.1, 0.9, 2);
  const Tensor labels = labels_of({2, 0, 3});
  const auto check = [](const TensorFunction& f, const std::vector<Tensor>& inputs) {
    EXPECT_TRUE(second_gradients_match(f, inputs, {.tolerance = 1e-6}));
  };

  check([](auto in) { return huber_loss(in[0], in[1], {.delta = 0.7}); }, {x, target});
  check([](auto in) { return gaussian_nll_loss(in[0], in[1], square(in[1])); }, {x, target});
  check([](auto in) { return binary_cross_entropy(sigmoid(in[0]), in[1]); }, {x, target});
  check([](auto in) { return binary_cross_entropy_with_logits(in[0], in[1]); }, {x, target});
  check([&](auto in) { return cross_entropy(in[0], labels, {.label_smoothing = 0.1}); }, {x});
  check([](auto in) { return triplet_margin_loss(in[0], in[1], in[0] * in[1]); }, {x, target});
}

TEST(CtcLoss, HasTheGradientOfItsSumOverPaths) {
  const Tensor labels = from_vector(std::vector<int64_t>{1, 1, 2, 0}, {2, 2});
  const TensorFunction f = [&](std::span<const Tensor> in) {
    return ctc_loss(in[0], labels, {5, 3}, {2, 1}, {.reduction = Reduction::none});
  };

  EXPECT_TRUE(gradients_match(f, {spread({5, 2, 3}, -3, 0)}));
}

class LossMistakes : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(LossMistakes, NameTheOpTheTypesAndTheCallersLine) {
  expect_failure(GetParam());
}

/// Of two sequences.
Tensor two_labels() {
  return zeros({2, 2}, DType::i64);
}

const FailingCall<> kMistakes[] = {
    {[] { (void)nll_loss(ones({4, 3}), labels_of({1, 2})); },
     "nll_loss: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[4,3], labels i64[2]"},
    {[] { (void)cross_entropy(ones({4, 3}), ones({4})); },
     "cross_entropy: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[4,3], labels f32[4]"},
    {[] { (void)cross_entropy(ones({2, 3}), labels_of({1, 2}), {.weight = ones({4})}); },
     "cross_entropy: weight must be floats [3], one a class, is f32[4]"},
    {[] { (void)cross_entropy(ones({1, 3}), labels_of({1}), {.label_smoothing = 1.5}); },
     "cross_entropy: label_smoothing must be in [0, 1], is 1.5"},
    {[] { (void)mse_loss(ones({4, 1}), ones({4})); },
     "mse_loss: shapes differ: prediction f32[4,1], target f32[4]"},
    {[] { (void)l1_loss(arange(3), ones({3})); }, "l1_loss: prediction must be floats, is i64[3]"},
    {[] { (void)huber_loss(ones({3}), Tensor()); }, "huber_loss: target is an undefined tensor"},
    {[] { (void)smooth_l1_loss(ones({3}), ones({3}), {.beta = -1}); },
     "smooth_l1_loss: beta must not be negative, is -1"},
    {[] { (void)multi_margin_loss(ones({2, 3}), labels_of({1, 2}), {.p = 3}); },
     "multi_margin_loss: p must be 1 or 2, is 3"},
    {[] { (void)cosine_embedding_loss(ones({2, 3}), ones({2, 3}), ones({3})); },
     "cosine_embedding_loss: y must be [n] for vectors [n,c], or a scalar for [c]: a f32[2,3], y "
     "f32[3]"},
    {[] { (void)ctc_loss(ones({5, 2, 3}), two_labels(), {5, 6}, {2, 1}); },
     "ctc_loss: input_lengths must be in [0, 5], are [5, 6]"},
    {[] { (void)ctc_loss(ones({5, 2, 3}), two_labels(), {5, 5}, {2, 1}, {.blank = 3}); },
     "ctc_loss: blank 3 must be one of the 3 classes"},
    {[] { (void)nll_loss(Tensor(), arange(3)); }, "nll_loss: scores is an undefined tensor"},
    {[] { (void)cross_entropy(ones({2, 3}), Tensor()); },
     "cross_entropy: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[2,3], labels undefined"},
    {[] { (void)cross_entropy(ones({2, 3}), ones({3, 2})); },
     "cross_entropy: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[2,3], labels f32[3,2]"},
    {[] { (void)mse_loss(Tensor(), ones({3})); }, "mse_loss: prediction is an undefined tensor"},
    {[] { (void)huber_loss(ones({3}), ones({3}), {.delta = 0}); },
     "huber_loss: delta must be positive, is 0"},
    {[] { (void)binary_cross_entropy(ones({3}), ones({2})); },
     "binary_cross_entropy: shapes differ: probabilities f32[3], target f32[2]"},
    {[] { (void)binary_cross_entropy(ones({3}), arange(3)); },
     "binary_cross_entropy: target must be floats, is i64[3]"},
    {[] { (void)binary_cross_entropy_with_logits(arange(3), ones({3})); },
     "binary_cross_entropy_with_logits: logits must be floats, is i64[3]"},
    {[] { (void)kl_div(ones({3}), arange(3)); }, "kl_div: target must be floats, is i64[3]"},
    {[] { (void)kl_div(ones({3}), ones({2})); }, "mul: shapes do not broadcast: f32[2] and f32[3]"},
    {[] { (void)kl_div(ones({}), ones({}), {.batch_mean = true}); },
     "kl_div: batch_mean needs an axis 0"},
    {[] { (void)poisson_nll_loss(ones({3}), ones({2})); },
     "poisson_nll_loss: shapes differ: prediction f32[3], target f32[2]"},
    {[] { (void)gaussian_nll_loss(ones({3}), ones({3}), ones({2})); },
     "gaussian_nll_loss: variance f32[2] does not broadcast to prediction f32[3]"},
    {[] { (void)gaussian_nll_loss(ones({3}), ones({3}), ones({3}), {.eps = 0}); },
     "gaussian_nll_loss: eps must be positive, is 0"},
    {[] { (void)gaussian_nll_loss(ones({3}), ones({3}), Tensor()); },
     "gaussian_nll_loss: variance is an undefined tensor"},
    {[] { (void)margin_ranking_loss(ones({3}), ones({2}), ones({3})); },
     "margin_ranking_loss: shapes differ: a f32[3], b f32[2]"},
    {[] { (void)hinge_embedding_loss(ones({3}), ones({2})); },
     "hinge_embedding_loss: shapes differ: x f32[3], y f32[2]"},
    {[] { (void)soft_margin_loss(ones({3}), ones({2})); },
     "soft_margin_loss: shapes differ: x f32[3], y f32[2]"},
    {[] { (void)triplet_margin_loss(ones({3}), ones({2}), ones({3})); },
     "triplet_margin_loss: shapes differ: anchor f32[3], positive f32[2]"},
    {[] { (void)triplet_margin_loss(ones({}), ones({}), ones({})); },
     "triplet_margin_loss: anchor must have an axis, is a scalar"},
    {[] { (void)cosine_embedding_loss(ones({2, 3}), ones({2, 3}), Tensor()); },
     "cosine_embedding_loss: y must be [n] for vectors [n,c], or a scalar for [c]: a f32[2,3], y "
     "undefined"},
    {[] { (void)ctc_loss(ones({5}), zeros({2, 2}, DType::i64), {5}, {2}); },
     "ctc_loss: log_probs must be floats [t,n,c] or [t,c], labels integers [n,s] or [k]: log_probs "
     "f32[5], labels i64[2,2]"},
    {[] { (void)ctc_loss(ones({5, 2, 3}), zeros({2, 2}, DType::i64), {5}, {2, 1}); },
     "ctc_loss: input_lengths must be 2 numbers, one a sequence, are [5]"},
    {[] { (void)ctc_loss(ones({5, 2, 3}), zeros({2, 2}, DType::i64), {5, 5}, {2, 3}); },
     "ctc_loss: label_lengths must be in [0, 2], are [2, 3]"},
    {[] { (void)ctc_loss(ones({5, 2, 3}), zeros({3}, DType::i64), {5, 5}, {2, 2}); },
     "ctc_loss: labels i64[3] must be as many as label_lengths [2, 2] add up to"},
};

INSTANTIATE_TEST_SUITE_P(All, LossMistakes, ::testing::ValuesIn(kMistakes));

}  // namespace
}  // namespace wick::nn
