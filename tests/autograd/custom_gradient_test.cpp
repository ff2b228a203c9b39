#include "gradcheck.h"
#include "leaf.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

using testing_support::leaf;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;
using Floats = std::vector<float>;

TEST(CustomGradient, ReplacesTheRule) {
  Tensor x = leaf({1, 2});
  const auto f = custom_gradient(
      [](std::span<const Tensor> inputs) { return floor(inputs[0]); },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{g * 10}; });
  sum(f({&x, 1}) * 3).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{30, 30}));
}

TEST(CustomGradient, SeesInputsOutputAndCotangent) {
  Tensor x = leaf({2, 3});
  Tensor y = leaf({5, 7});
  const auto f =
      custom_gradient([](std::span<const Tensor> inputs) { return inputs[0] * inputs[1]; },
                      [](std::span<const Tensor> inputs, const Tensor& output, const Tensor& g) {
                        return std::vector{output * g, inputs[0] * g};
                      });
  sum(f(std::vector{x, y}) * 2).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{20, 42}));
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{4, 6}));
}

TEST(CustomGradient, OfTheIdentityLeavesTheInputAlone) {
  Tensor x = leaf({1, 2});
  const auto reverse = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0]; },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{-g}; });
  (sum(reverse({&x, 1}) * 5) + sum(x)).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{-4, -4}));
}

TEST(CustomGradient, OfAMaterializedInput) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  materialize(y);
  const auto reverse = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0]; },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{-g}; });
  const Tensor z = reverse({&y, 1});
  EXPECT_EQ(z.to_vector<float>(), (Floats{2, 4}));
  sum(z).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{-2, -2}));
}

TEST(CustomGradient, UndefinedMeansNone) {
  Tensor x = leaf({1, 2});
  Tensor y = leaf({1, 2});
  const auto f =
      custom_gradient([](std::span<const Tensor> inputs) { return inputs[0] + inputs[1]; },
                      [](std::span<const Tensor>, const Tensor&, const Tensor& g) {
                        return std::vector{Tensor(), g};
                      });
  sum(f(std::vector{x, y})).backward();

  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(y.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST(CustomGradient, RecordsNoHistoryInside) {
  Tensor x = leaf({1, 2});
  bool inside = true;
  const auto f = custom_gradient(
      [&](std::span<const Tensor> inputs) {
        Tensor y = inputs[0] * 2;
        inside = y.requires_grad();
        return y;
      },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{g}; });
  const Tensor y = f({&x, 1});

  EXPECT_FALSE(inside);
  EXPECT_TRUE(y.requires_grad());
  const NoGradGuard guard;
  EXPECT_FALSE(f({&x, 1}).requires_grad());
}

TEST(CustomGradient, IsDifferentiableAgain) {
  const auto sine =
      custom_gradient([](std::span<const Tensor> inputs) { return sin(inputs[0]); },
                      [](std::span<const Tensor> inputs, const Tensor&, const Tensor& g) {
                        return std::vector{g * cos(inputs[0])};
                      });
  const auto exponential = custom_gradient(
      [](std::span<const Tensor> inputs) { return exp(inputs[0]); },
      [](std::span<const Tensor>, const Tensor& y, const Tensor& g) { return std::vector{g * y}; });
  const TensorFunction f = [&](std::span<const Tensor> x) { return sine(x) * exponential(x); };

  EXPECT_TRUE(second_gradients_match(f, {spread({5}, -1, 1)}));
}

TEST(CustomGradient, AGradientOfAnotherTypeIsAnError) {
  Tensor x = leaf({1, 2});
  const auto f = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0] * 2; },
      [](std::span<const Tensor>, const Tensor&, const Tensor&) { return std::vector{ones({3})}; });
  const Tensor y = sum(f({&x, 1}));
  try {
    y.backward();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), "the gradient of input 0 should be f32[2], it is f32[3]");
  }
}

TEST(CustomGradient, FreesItsInputsAfterBackward) {
  Tensor x = leaf({1, 2});
  Tensor between = x * 2;
  const auto reverse = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0] + 1; },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{-g}; });
  const Tensor y = sum(reverse({&between, 1}));
  y.backward();
  materialize(y, x.grad());

  EXPECT_EQ(between.node()->ref_count(), 1U);
}

}  // namespace
}  // namespace wick
