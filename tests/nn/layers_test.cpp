// Layers against hand results.

#include <cmath>

#include "expect_error.h"
#include "expect_values.h"
#include <gtest/gtest.h>

#include "wick/nn/activations.h"
#include "wick/nn/layer_norm.h"
#include "wick/nn/linear.h"
#include "wick/nn/pooling.h"

namespace wick::nn {
namespace {

using testing_support::error_of;
using testing_support::expect_values;
using testing_support::kF32Tolerance;

Linear linear_of(const Tensor& weight, const Tensor& bias) {
  Linear layer(weight.size(1), weight.size(0));
  Parameter(layer.weight()).assign(weight);
  Parameter(layer.bias()).assign(bias);
  return layer;
}

TEST(Linear, IsAnAffineMap) {
  Linear layer = linear_of(tensor({{1, 2, 3}, {4, 5, 6}}), tensor({10, 20}));

  expect_values(layer(tensor({{1, 0, -1}, {2, 2, 2}})), {2, 2}, {8, 18, 22, 50}, kF32Tolerance);
  expect_values(layer(tensor({1, 0, -1})), {2}, {8, 18}, kF32Tolerance);
}

TEST(Linear, KeepsLeadingAxes) {
  Linear layer = linear_of(tensor({{1, 2}}), tensor({1}));

  const Tensor y = layer(arange(12, DType::f32).reshape({2, 3, 2}));

  expect_values(y, {2, 3, 1}, {3, 9, 15, 21, 27, 33}, kF32Tolerance);
}

TEST(Linear, HasGradients) {
  Linear layer = linear_of(tensor({{1, 2, 3}, {4, 5, 6}}), tensor({10, 20}));

  layer(tensor({{1, 0, -1}, {2, 2, 2}})).sum().backward();

  expect_values(layer.weight().grad(), {2, 3}, {3, 2, 1, 3, 2, 1}, kF32Tolerance);
  expect_values(layer.bias().grad(), {2}, {2, 2}, kF32Tolerance);
}

TEST(Linear, RefusesAnotherExtent) {
  Linear layer(784, 10);

  EXPECT_EQ(error_of([&] { static_cast<void>(layer(ones({64, 100}))); }),
            "linear: the last extent of x must be 784, x is f32[64,100]");
  EXPECT_EQ(error_of([&] { static_cast<void>(layer(scalar(1))); }),
            "linear: the last extent of x must be 784, x is f32[]");
}

TEST(Activations, MatchTheirFormulas) {
  const Tensor x = tensor({-2, 0, 3});
  const auto sigma = [](double v) { return 1 / (1 + std::exp(-v)); };
  const auto phi = [](double v) { return 0.5 * (1 + std::erf(v / std::sqrt(2.0))); };

  expect_values(ReLU()(x), {3}, {0, 0, 3}, 0);
  expect_values(Tanh()(x), {3}, {std::tanh(-2), 0, std::tanh(3)}, kF32Tolerance);
  expect_values(Sigmoid()(x), {3}, {sigma(-2), 0.5, sigma(3)}, kF32Tolerance);
  expect_values(SiLU()(x), {3}, {-2 * sigma(-2), 0, 3 * sigma(3)}, kF32Tolerance);
  expect_values(GELU()(x), {3}, {-2 * phi(-2), 0, 3 * phi(3)}, kF32Tolerance);
}

TEST(Softmax, NormalisesAnAxis) {
  const Tensor x = tensor({{0, 1, 2}, {3, 3, 3}});
  const double total = 1 + std::exp(1) + std::exp(2);
  const double third = 1.0 / 3;

  expect_values(Softmax()(x),
                {2, 3},
                {1 / total, std::exp(1) / total, std::exp(2) / total, third, third, third},
                kF32Tolerance);
  expect_values(LogSoftmax(1)(x),
                {2, 3},
                {-std::log(total),
                 1 - std::log(total),
                 2 - std::log(total),
                 std::log(third),
                 std::log(third),
                 std::log(third)},
                kF32Tolerance);
  const double e3 = std::exp(-3);
  expect_values(Softmax(0)(tensor({0, 3}).reshape({2, 1})),
                {2, 1},
                {e3 / (1 + e3), 1 / (1 + e3)},
                kF32Tolerance);
}

TEST(Flatten, JoinsTheLastAxes) {
  EXPECT_EQ(to_string(Flatten()(ones({2, 3, 4, 5})).shape()), "[2,60]");
  EXPECT_EQ(to_string(Flatten(2)(ones({2, 3, 4, 5})).shape()), "[2,3,20]");
}

TEST(Pooling, ReducesWindows) {
  const Tensor x = arange(16, DType::f32).reshape({1, 1, 4, 4});

  expect_values(MaxPool2d(2)(x), {1, 1, 2, 2}, {5, 7, 13, 15}, 0);
  expect_values(AvgPool2d(2)(x), {1, 1, 2, 2}, {2.5, 4.5, 10.5, 12.5}, 0);
  expect_values(
      MaxPool2d({.kernel = {3, 3}, .stride = {1, 1}})(x), {1, 1, 2, 2}, {10, 11, 14, 15}, 0);
}

TEST(LayerNorm, NormalisesTheLastAxes) {
  LayerNorm layer({3}, 0.0);
  std::vector<Parameter> parameters = layer.parameters();
  parameters[0].assign(tensor({1, 2, 3}));
  parameters[1].assign(tensor({0, 0, 1}));
  const double unit = std::sqrt(1.5);  // 1 / standard deviation of consecutive numbers

  expect_values(layer(tensor({{1, 2, 3}, {12, 10, 11}})),
                {2, 3},
                {-unit, 0, 3 * unit + 1, unit, -2 * unit, 1},
                kF32Tolerance);
}

TEST(LayerNorm, RefusesOtherExtents) {
  LayerNorm layer({3, 4});

  EXPECT_EQ(error_of([&] { static_cast<void>(layer(ones({2, 4, 3}))); }),
            "layer_norm: x must end in the extents [3,4], x is f32[2,4,3]");
}

}  // namespace
}  // namespace wick::nn
