// The functions of nn/functional against what they are made of.

#include <algorithm>
#include <cmath>
#include <string>

#include "expect_error.h"
#include "expect_values.h"
#include "gradcheck.h"
#include "support/failing_call.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/nn/functional/attention.h"
#include "wick/nn/functional/dropout.h"
#include "wick/nn/functional/embedding.h"
#include "wick/nn/functional/norms.h"
#include "wick/nn/functional/recurrent.h"
#include "wick/nn/group_norm.h"

namespace wick::nn {
namespace {

using testing_support::error_of;
using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::kF32Tolerance;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

TEST(Norms, HaveSecondGradients) {
  const Tensor x = spread({2, 4, 3}, -2, 2);
  const Tensor w = spread({4}, -1, 1, 2);
  const auto check = [&](const TensorFunction& f) {
    EXPECT_TRUE(second_gradients_match(f, {x, w}, {.tolerance = 1e-5}));
  };

  check([](auto in) { return layer_norm(in[0], {4, 3}); });
  check([](auto in) { return rms_norm(in[0], {3}); });
  check([](auto in) { return group_norm(in[0], 2, {.weight = in[1], .bias = in[1]}); });
  check([](auto in) { return instance_norm(in[0], {.weight = in[1]}); });
  check([](auto in) { return batch_norm_training(in[0], {}, 0.1, {.weight = in[1]}).output; });
  check([](auto in) { return local_response_norm(in[0], {.size = 3, .alpha = 1}); });
}

TEST(Norms, ComputeHalvesInFloats) {
  const Tensor x = cast(tensor({{300, 0}}), DType::f16);  // the square is no f16

  const Tensor y = layer_norm(x, {2});

  EXPECT_EQ(y.dtype(), DType::f16);
  expect_values(y, {1, 2}, {1, -1}, 1e-3);
}

TEST(Norms, LayersHoldWeightsOfTheirChannels) {
  GroupNorm layer(2, 4);
  const Tensor x = tensor({{1, 3, 10, 30}});

  expect_values(layer(x), {1, 4}, {-1, 1, -1, 1}, 1e-4);
  EXPECT_EQ(layer.parameters().size(), 2U);
  EXPECT_EQ(error_of([] { const GroupNorm wrong(3, 4); }),
            "group_norm: 4 channels do not divide into 3 groups");
}

/// The gradient walks both directions at once: clusters of ops that begin before and end behind
/// others.
TEST(Recurrent, BothDirectionsHaveGradients) {
  Tensor x = cast(spread({6, 2, 3}, -1, 1), DType::f32);
  x.requires_grad_();
  const auto weights = [](unsigned seed) {
    const auto matrix = [&](int64_t rows, int64_t columns) {
      return cast(spread({rows, columns}, -1, 1, seed), DType::f32);
    };
    return CellWeights{matrix(12, 3), matrix(12, 4), ones({12}), zeros({12})};
  };
  const CellWeights cells[] = {weights(1), weights(2)};

  const SequenceResult result = gru(x, {}, cells, {.bidirectional = true, .batch_first = true});
  sum(square(result.y)).backward();

  EXPECT_EQ(to_string(result.y.shape()), "[6,2,8]");
  EXPECT_EQ(to_string(result.h.shape()), "[2,6,4]");
  // The forward direction ends with the last step, the backward one with the first.
  const auto last = slice(select(result.y, 1, 1), 1, 0, 4).to_vector<float>();
  EXPECT_EQ(select(result.h, 0, 0).to_vector<float>(), last);
  const auto values = x.grad().to_vector<float>();
  EXPECT_TRUE(std::ranges::none_of(values, [](float v) { return v == 0 || std::isnan(v); }));
}

TEST(Attention, HeadsOfAGroupShareKeyAndValue) {
  const Tensor q = cast(spread({2, 4, 3, 5}, -1, 1), DType::f32);
  const Tensor k = cast(spread({2, 2, 6, 5}, -1, 1, 2), DType::f32);
  const Tensor v = cast(spread({2, 2, 6, 7}, -1, 1, 3), DType::f32);
  const auto repeated = [](const Tensor& x) {
    const Tensor heads[] = {select(x, 1, 0), select(x, 1, 0), select(x, 1, 1), select(x, 1, 1)};
    return stack(heads, 1);
  };

  const Tensor grouped = scaled_dot_product_attention(q, k, v, {.is_causal = true});
  const Tensor whole =
      scaled_dot_product_attention(q, repeated(k), repeated(v), {.is_causal = true});

  expect_values(grouped, {2, 4, 3, 7}, whole.to_vector<double>(), kF32Tolerance);
}

/// Attention of many queries goes by blocks where it is causal, and not where a mask says the same.
void expect_causal_like_masked(int64_t queries, int64_t keys, const Tensor& mask) {
  manual_seed(5);
  const Tensor q = randn({2, 3, queries, 4}).requires_grad_();
  const Tensor k = randn({2, 3, keys, 4}).requires_grad_();
  const Tensor v = randn({2, 1, keys, 5}).requires_grad_();
  const Tensor cotangent = randn({2, 3, queries, 5});
  const Tensor behind = arange(keys) > reshape(arange(queries), {queries, 1});
  Tensor sum_of_masks = where(behind, Operand(-std::numeric_limits<float>::infinity()), 0.0F);
  if (mask.defined()) sum_of_masks = sum_of_masks + mask;
  const auto results = [&](const AttentionOptions& options) {
    const Tensor out = scaled_dot_product_attention(q, k, v, options);
    std::vector<Tensor> all = grad({sum(out * cotangent)}, {q, k, v});
    all.push_back(out);
    return all;
  };

  const std::vector<Tensor> causal = results({.mask = mask, .is_causal = true});
  const std::vector<Tensor> masked = results({.mask = sum_of_masks});

  for (size_t i = 0; i < causal.size(); ++i) {
    const std::vector<double> expected = masked[i].to_vector<double>();
    const std::vector<double> actual = causal[i].to_vector<double>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t j = 0; j < actual.size(); ++j)
      ASSERT_NEAR(actual[j], expected[j], 1e-4) << "value " << i << ", element " << j;
  }
}

TEST(Attention, OfManyQueriesIsCausalInBlocks) {
  expect_causal_like_masked(256, 256, {});
  expect_causal_like_masked(257, 300, {});
  expect_causal_like_masked(601, 257, {});
  expect_causal_like_masked(259, 259, randn({259, 259}));
  expect_causal_like_masked(259, 270, randn({2, 1, 1, 270}));
  expect_causal_like_masked(259, 250, randn({3, 259, 1}));
  expect_causal_like_masked(300, 300, randn({300}));
}

TEST(Attention, DoesNotComputeWhatLiesBehindABlock) {
  const Tensor x = ones({512, 2});
  const Tensor v = where(arange(512) < 256, Operand(1.0F), std::nanf(""));

  const Tensor out = scaled_dot_product_attention(x, x, reshape(v, {512, 1}), {.is_causal = true});

  const auto values = out.to_vector<float>();
  EXPECT_EQ(std::ranges::find_if(values, [](float y) { return std::isnan(y); }) - values.begin(),
            256);
}

TEST(Dropout2d, DropsWholeChannels) {
  manual_seed(3);
  const Tensor y = dropout2d(ones({50, 40, 2, 3}), 0.5);

  const auto sums = sum(y, {2, 3}).to_vector<float>();
  const auto dropped = std::ranges::count(sums, 0.0F);
  EXPECT_EQ(dropped + std::ranges::count(sums, 12.0F), 2000);
  EXPECT_NEAR(static_cast<double>(dropped), 1000, 112);  // five standard deviations
}

TEST(AlphaDropout, KeepsMeanAndVariance) {
  manual_seed(5);
  const Tensor y = alpha_dropout(randn({400000}), 0.3);

  EXPECT_NEAR(mean(y).item<double>(), 0, 0.01);
  EXPECT_NEAR(var(y).item<double>(), 1, 0.02);
  EXPECT_EQ(max(abs(alpha_dropout(ones({8}), 1))).item<float>(), 0);
}

TEST(Embedding, LeavesThePaddingRowAlone) {
  Tensor weight = tensor({{1, 2}, {3, 4}, {5, 6}});
  weight.requires_grad_();
  const Tensor indices = from_vector(std::vector<int64_t>{2, 0, 2}, {3});

  const Tensor rows = embedding(indices, weight, 0);
  sum(rows).backward();

  expect_values(rows, {3, 2}, {5, 6, 1, 2, 5, 6}, 0);
  expect_values(weight.grad(), {3, 2}, {0, 0, 0, 0, 2, 2}, 0);
}

class FunctionalMistakes : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(FunctionalMistakes, NameTheOpTheTypesAndTheCallersLine) {
  expect_failure(GetParam());
}

/// Of an rnn with 3 inputs and 4 hidden values.
CellWeights with_bias(const Tensor& bias) {
  return {ones({4, 3}), ones({4, 4}), bias, {}};
}

std::span<const CellWeights> one_cell() {
  static const CellWeights cell = with_bias({});
  return {&cell, 1};
}

const FailingCall<> kMistakes[] = {
    {[] { (void)layer_norm(ones({2, 4, 3}), {3, 4}); },
     "layer_norm: x must end in the extents [3,4], x is f32[2,4,3]"},
    {[] { (void)rms_norm(ones({2, 3}), {3}, {.weight = ones({2})}); },
     "rms_norm: weight must have the shape [3], is f32[2]"},
    {[] { (void)group_norm(ones({2, 4}), 3); },
     "group_norm: 4 channels of f32[2,4] do not divide into 3 groups"},
    {[] { (void)instance_norm(ones({2, 4})); },
     "instance_norm: x must have 3 axes or more, x is f32[2,4]"},
    {[] { (void)batch_norm(ones({2, 4}), {ones({4}), ones({3})}); },
     "batch_norm: var must have the shape [4], is f32[3]"},
    {[] { (void)gru_cell(ones({2, 3}), ones({2, 4}), {ones({12, 3}), ones({12, 5}), {}, {}}); },
     "gru_cell: hidden weight must be floats [12,4], is f32[12,5]"},
    {[] { (void)rnn_tanh(ones({0, 2, 3}), {}, one_cell()); },
     "rnn_tanh: x f32[0,2,3] has no steps"},
    {[] { (void)lstm(ones({5, 2, 3}), {}, one_cell(), {.bidirectional = true}); },
     "lstm: 1 cells do not divide into layers of 2"},
    {[] { (void)scaled_dot_product_attention(ones({2, 3, 4}), ones({2, 5, 6}), ones({2, 5, 6})); },
     "scaled_dot_product_attention: query must be [...,l,e], key [...,s,e] and value [...,s,v]: "
     "query f32[2,3,4], key f32[2,5,6], value f32[2,5,6]"},
    {[] { (void)scaled_dot_product_attention(eye(2), eye(2), eye(2), {.mask = eye(3)}); },
     "scaled_dot_product_attention: mask must broadcast to the scores [...,2,2]: mask f32[3,3], "
     "query f32[2,2], key f32[2,2]"},
    {[] { (void)dropout2d(ones({2, 3}), 0.5, default_generator()); },
     "dropout2d: x must have 4 axes, x is f32[2,3]"},
    {[] { (void)embedding(ones({3}), ones({2, 2})); },
     "embedding: weight must be [n,d] and indices integers: weight f32[2,2], indices f32[3]"},
    {[] { (void)layer_norm(Tensor(), {3}); }, "layer_norm: x is an undefined tensor"},
    {[] { (void)layer_norm(arange(3), {3}); }, "layer_norm: x must be floats, is i64[3]"},
    {[] { (void)layer_norm(ones({2, 3}), {3}, {.bias = ones({2})}); },
     "layer_norm: bias must have the shape [3], is f32[2]"},
    {[] { (void)rms_norm(ones({3}), {2, 3}); },
     "rms_norm: x must end in the extents [2,3], x is f32[3]"},
    {[] { (void)group_norm(ones({4}), 2); }, "group_norm: x must have 2 axes or more, x is f32[4]"},
    {[] { (void)group_norm(ones({2, 4}), 0); },
     "group_norm: 4 channels of f32[2,4] do not divide into 0 groups"},
    {[] { (void)group_norm(ones({2, 4}), 2, {.weight = ones({3})}); },
     "group_norm: weight must have the shape [4], is f32[3]"},
    {[] { (void)instance_norm(Tensor()); }, "instance_norm: x is an undefined tensor"},
    {[] { (void)batch_norm(ones({2, 4}), {Tensor(), ones({4})}); },
     "batch_norm: mean is an undefined tensor"},
    {[] { (void)batch_norm(ones({4}), {ones({4}), ones({4})}); },
     "batch_norm: x must have 2 axes or more, x is f32[4]"},
    {[] { (void)batch_norm_training(ones({4}), {}); },
     "batch_norm: x must have 2 axes or more, x is f32[4]"},
    {[] { (void)local_response_norm(ones({2, 3}), {.size = 0}); },
     "local_response_norm: x must have 3 axes or more, x is f32[2,3]"},
    {[] { (void)local_response_norm(ones({2, 3, 4}), {.size = 0}); },
     "local_response_norm: size must be positive, is 0"},
    {[] { (void)dropout1d(ones({2, 3, 4}), 1.5); },
     "dropout1d: the rate must be in [0, 1], it is 1.5"},
    {[] { (void)dropout3d(arange(3), 0.5); }, "dropout3d: x must be floats, is i64[3]"},
    {[] { (void)alpha_dropout(ones({3}), -1); },
     "alpha_dropout: the rate must be in [0, 1], it is -1"},
    {[] { (void)alpha_dropout(Tensor(), 0.5); }, "alpha_dropout: x is an undefined tensor"},
    {[] { (void)embedding(Tensor(), ones({2, 2})); },
     "embedding: weight must be [n,d] and indices integers: weight f32[2,2], indices undefined"},
    {[] { (void)embedding(arange(3), ones({2})); },
     "embedding: weight must be [n,d] and indices integers: weight f32[2], indices i64[3]"},
    {[] { (void)embedding(arange(3), Tensor()); }, "embedding: weight is an undefined tensor"},
    {[] { (void)scaled_dot_product_attention(Tensor(), ones({2, 3}), ones({2, 3})); },
     "scaled_dot_product_attention: query is an undefined tensor"},
    {[] { (void)scaled_dot_product_attention(ones({2, 3}), ones({2, 3}), arange(3)); },
     "scaled_dot_product_attention: value must be floats, is i64[3]"},
    {[] { (void)rnn_tanh_cell(ones({2, 3}), ones({3, 4}), {ones({4, 3}), ones({4, 4}), {}, {}}); },
     "rnn_tanh_cell: h must be floats [2,4], is f32[3,4]"},
    {[] { (void)rnn_relu_cell(ones({2, 3}), ones({2, 4}), with_bias(ones({3}))); },
     "rnn_relu_cell: input bias must be floats [4], is f32[3]"},
    {[] { (void)rnn_relu_cell(ones({2, 3}), ones({2, 4}), {ones({4, 3}), Tensor(), {}, {}}); },
     "rnn_relu_cell: hidden weight must be floats [4,4], is undefined"},
    {[] { (void)lstm_cell(ones({2, 3}), {ones({2, 4}), Tensor()}, with_bias({})); },
     "lstm_cell: c must be floats [2,4], is undefined"},
    {[] { (void)gru(Tensor(), {}, one_cell()); }, "gru: x is an undefined tensor"},
    {[] { (void)gru(ones({5}), {}, one_cell()); }, "gru: x must be [t,n,in] or [t,in], is f32[5]"},
    {[] { (void)gru(ones({5, 2, 3}), {}, {}); }, "gru: 0 cells do not divide into layers of 1"},
    {[] { (void)rnn_tanh(ones({5, 2, 3}), ones({2, 2, 4}), one_cell()); },
     "rnn_tanh: h must be floats [1,2,4], is f32[2,2,4]"},
};

INSTANTIATE_TEST_SUITE_P(All, FunctionalMistakes, ::testing::ValuesIn(kMistakes));

}  // namespace
}  // namespace wick::nn
