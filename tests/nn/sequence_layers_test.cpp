// The recurrent layers and the attention layer, against their functions with the same parameters.

#include <map>
#include <string>

#include "expect_values.h"
#include "support/failing_call.h"
#include <gtest/gtest.h>

#include "wick/nn/attention.h"
#include "wick/nn/functional/attention.h"
#include "wick/nn/recurrent.h"
#include "wick/tensor/ops_linalg.h"

namespace wick::nn {
namespace {

using testing_support::expect_values;
using testing_support::FailingCall;
using testing_support::kF32Tolerance;

std::map<std::string, Tensor> values_of(const Module& module) {
  std::map<std::string, Tensor> values;
  for (const NamedParameter& named : module.named_parameters())
    values[named.name] = named.parameter.value();
  return values;
}

/// All gradients after a sum of squares.
void expect_gradients(Module& module, const Tensor& x) {
  sum(square(module(x))).backward();
  for (const NamedParameter& named : module.named_parameters()) {
    ASSERT_TRUE(named.parameter.grad().defined()) << named.name;
    EXPECT_GT(sum(abs(named.parameter.grad())).item<float>(), 0) << named.name;
  }
}

TEST(RecurrentLayers, RunTheirCells) {
  manual_seed(1);
  LSTM layer(3, 4, {.layers = 2, .bidirectional = true});
  const auto p = values_of(layer);
  const auto cell = [&](const std::string& place) {
    return CellWeights{p.at("weight_ih_" + place),
                       p.at("weight_hh_" + place),
                       p.at("bias_ih_" + place),
                       p.at("bias_hh_" + place)};
  };
  const CellWeights cells[] = {cell("l0"), cell("l0_reverse"), cell("l1"), cell("l1_reverse")};
  const Tensor x = randn({5, 2, 3});
  const LstmState state{randn({4, 2, 4}), randn({4, 2, 4})};

  const LstmResult result = layer.run(x, state);
  const LstmResult expected = lstm(x, state, cells, {.bidirectional = true});

  constexpr double kRounding = 1e-6;  // what is kept on the way decides what is fused
  EXPECT_EQ(p.size(), 16U);
  EXPECT_EQ(to_string(p.at("weight_ih_l1").shape()), "[16,8]");
  expect_values(result.y, {5, 2, 8}, expected.y.to_vector<double>(), kRounding);
  expect_values(result.state.c, {4, 2, 4}, expected.state.c.to_vector<double>(), kRounding);
  expect_values(layer(x),
                {5, 2, 8},
                lstm(x, {}, cells, {.bidirectional = true}).y.to_vector<double>(),
                kRounding);
  expect_gradients(layer, x);
}

TEST(RecurrentLayers, TakeOptions) {
  manual_seed(2);
  GRU gru(3, 4, {.layers = 2, .bias = false, .batch_first = true, .dropout = 0.5});
  RNN relu_rnn(3, 4, {}, RNN::Nonlinearity::relu);
  const Tensor x = randn({2, 5, 3});

  EXPECT_EQ(to_string(gru(x).shape()), "[2,5,4]");
  EXPECT_EQ(gru.parameters().size(), 4U);
  EXPECT_NE(gru(x).to_vector<float>(), gru(x).to_vector<float>()) << "training drops";
  gru.eval();
  EXPECT_EQ(gru(x).to_vector<float>(), gru(x).to_vector<float>());
  EXPECT_GE(min(relu_rnn(x)).item<float>(), 0);
  expect_gradients(relu_rnn, x);
}

TEST(MultiheadAttention, AttendsWithEachHead) {
  manual_seed(3);
  MultiheadAttention layer(6, 2, {.is_causal = true});
  const auto p = values_of(layer);
  const auto project = [&](const char* name, const Tensor& x) {
    return linear(x, p.at(std::string(name) + ".weight"), p.at(std::string(name) + ".bias"));
  };
  const Tensor x = randn({4, 6});
  const auto head = [&](int64_t i) {
    const auto part = [&](const char* name) {
      return slice(project(name, x), 1, 3 * i, 3 * i + 3);
    };
    return scaled_dot_product_attention(
        part("q_proj"), part("k_proj"), part("v_proj"), {.is_causal = true});
  };

  const Tensor expected = project("out_proj", concat({head(0), head(1)}, 1));
  const Tensor batch = layer(stack(std::vector{x, x}, 0));

  expect_values(layer(x), {4, 6}, expected.to_vector<double>(), kF32Tolerance);
  expect_values(select(batch, 0, 1), {4, 6}, expected.to_vector<double>(), kF32Tolerance);
  expect_gradients(layer, x);
}

TEST(MultiheadAttention, LooksAtOtherSequencesThroughAMask) {
  manual_seed(4);
  MultiheadAttention layer(8, 4, {.key_value_heads = 2, .bias = false});
  const Tensor query = randn({3, 2, 8});
  const Tensor key = randn({3, 5, 8});
  const Tensor first_two = arange(5) < 2;

  const Tensor masked = layer.attend(query, key, key, first_two);
  const Tensor cropped = slice(key, 1, 0, 2);

  EXPECT_EQ(to_string(values_of(layer).at("k_proj.weight").shape()), "[4,8]");
  expect_values(
      masked, {3, 2, 8}, layer.attend(query, cropped, cropped).to_vector<double>(), kF32Tolerance);
}

class SequenceLayerMistakes : public ::testing::TestWithParam<FailingCall<>> {};

TEST_P(SequenceLayerMistakes, NameTheOpTheValuesAndTheLine) {
  expect_failure(GetParam());
}

MultiheadAttention& attention() {
  static MultiheadAttention layer(6, 2);
  return layer;
}

LSTM& lstm_layer() {
  static LSTM layer(3, 4);
  return layer;
}

const FailingCall<> kMistakes[] = {
    {[] { const LSTM layer(3, 0); },
     "recurrent_layer: 3 inputs, 0 hidden values and 1 layers must all be positive"},
    {[] { const GRU layer(3, 4, {.layers = 0}); },
     "recurrent_layer: 3 inputs, 4 hidden values and 0 layers must all be positive"},
    {[] { (void)lstm_layer()(ones({5, 2, 4})); },
     "lstm: input weight must be floats [16,4], is f32[16,3]"},
    {[] { (void)lstm_layer().run(ones({5, 2, 3}), {ones({2, 2, 4}), {}}); },
     "lstm: h must be floats [1,2,4], is f32[2,2,4]"},
    {[] { const MultiheadAttention layer(6, 4); },
     "multihead_attention: an extent of 6 and 4 heads of queries, 4 of keys, do not divide"},
    {[] { const MultiheadAttention layer(8, 4, {.key_value_heads = 3}); },
     "multihead_attention: an extent of 8 and 4 heads of queries, 3 of keys, do not divide"},
    {[] { (void)attention()(ones({4, 5})); },
     "multihead_attention: query, key and value must be [...,l,6], one is f32[4,5]"},
    {[] { (void)attention().attend(ones({4, 6}), Tensor(), ones({4, 6})); },
     "multihead_attention: query, key and value must be [...,l,6], one is undefined"},
};

INSTANTIATE_TEST_SUITE_P(All, SequenceLayerMistakes, ::testing::ValuesIn(kMistakes));

}  // namespace
}  // namespace wick::nn
