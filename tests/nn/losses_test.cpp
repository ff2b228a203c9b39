#include "wick/nn/losses/losses.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "expect_error.h"
#include "expect_values.h"
#include "gradcheck.h"
#include <gtest/gtest.h>

namespace wick::nn {
namespace {

using testing::error_line_of;
using testing::error_of;
using testing::expect_values;
using testing::kF32Tolerance;
using testing_support::gradients_match;
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

struct Mistake {
  const char* name;
  void (*make)(Where);
  const char* message;
};

class LossMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(LossMistakes, NameTheOpTheTypesAndTheCallersLine) {
  const Where here = Where::current();

  EXPECT_EQ(error_of([&] { GetParam().make(here); }), GetParam().message);
  EXPECT_EQ(error_line_of([&] { GetParam().make(here); }), here.line());
}

constexpr Mistake kMistakes[] = {
    {"labels_of_another_shape",
     [](Where w) { static_cast<void>(nll_loss(ones({4, 3}), labels_of({1, 2}), {}, w)); },
     "nll_loss: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[4,3], labels i64[2]"},
    {"labels_that_are_floats",
     [](Where w) { static_cast<void>(cross_entropy(ones({4, 3}), ones({4}), {}, w)); },
     "cross_entropy: labels must be integers of the shape of the scores without the axis of the "
     "classes: scores f32[4,3], labels f32[4]"},
    {"weights_of_other_classes",
     [](Where w) {
       const CrossEntropyOptions options{.weight = ones({4})};
       static_cast<void>(cross_entropy(ones({2, 3}), labels_of({1, 2}), options, w));
     },
     "cross_entropy: weight must be floats [3], one a class, is f32[4]"},
    {"smoothing_out_of_range",
     [](Where w) {
       static_cast<void>(cross_entropy(ones({1, 3}), labels_of({1}), {.label_smoothing = 1.5}, w));
     },
     "cross_entropy: label_smoothing must be in [0, 1], is 1.5"},
    {"shapes_that_broadcast",
     [](Where w) { static_cast<void>(mse_loss(ones({4, 1}), ones({4}), Reduction::mean, w)); },
     "mse_loss: shapes differ: prediction f32[4,1], target f32[4]"},
    {"prediction_of_integers",
     [](Where w) { static_cast<void>(l1_loss(arange(3), ones({3}), Reduction::mean, w)); },
     "l1_loss: prediction must be floats, is i64[3]"},
    {"undefined_target",
     [](Where w) { static_cast<void>(huber_loss(ones({3}), Tensor(), {}, w)); },
     "huber_loss: target is an undefined tensor"},
    {"negative_beta",
     [](Where w) { static_cast<void>(smooth_l1_loss(ones({3}), ones({3}), {.beta = -1}, w)); },
     "smooth_l1_loss: beta must not be negative, is -1"},
    {"power_of_a_margin",
     [](Where w) {
       static_cast<void>(multi_margin_loss(ones({2, 3}), labels_of({1, 2}), {.p = 3}, w));
     },
     "multi_margin_loss: p must be 1 or 2, is 3"},
    {"angles_of_matrices",
     [](Where w) {
       static_cast<void>(cosine_embedding_loss(ones({2, 3}), ones({2, 3}), ones({3}), {}, w));
     },
     "cosine_embedding_loss: y must be [n] for vectors [n,c], or a scalar for [c]: a f32[2,3], y "
     "f32[3]"},
    {"more_steps_than_there_are",
     [](Where w) {
       const Tensor labels = zeros({2, 2}, DType::i64);
       static_cast<void>(ctc_loss(ones({5, 2, 3}), labels, {5, 6}, {2, 1}, {}, w));
     },
     "ctc_loss: input_lengths must be in [0, 5], are [5, 6]"},
    {"blank_that_is_no_class",
     [](Where w) {
       const Tensor labels = zeros({2, 2}, DType::i64);
       static_cast<void>(ctc_loss(ones({5, 2, 3}), labels, {5, 5}, {2, 1}, {.blank = 3}, w));
     },
     "ctc_loss: blank 3 must be one of the 3 classes"},
};

INSTANTIATE_TEST_SUITE_P(Losses,
                         LossMistakes,
                         ::testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

}  // namespace
}  // namespace wick::nn
