#include "wick/autograd/functional.h"

#include <cmath>

#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

using testing_support::spread;
using Doubles = std::vector<double>;
using Tensors = std::vector<Tensor>;

Tensor vector_of(const Doubles& values) {
  return from_vector(values, Shape{static_cast<int64_t>(values.size())});
}

void expect_near(const Tensor& tensor, const Doubles& expected) {
  const Doubles values = tensor.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1e-9) << "element " << i;
}

/// Two results of two inputs.
Tensors product_and_sine(std::span<const Tensor> x) {
  return {x[0] * x[1], sin(x[0])};
}

TEST(Functional, VjpGivesOutputsAndGradients) {
  const Tensors x = {vector_of({1, 2}), vector_of({3, 4})};
  const VjpResult result = vjp(product_and_sine, x, Tensors{vector_of({1, 10}), Tensor()});

  expect_near(result.outputs[0], {3, 8});
  expect_near(result.gradients[0], {3, 40});
  expect_near(result.gradients[1], {1, 20});
}

TEST(Functional, JvpGivesOutputsAndTangents) {
  const Tensors x = {vector_of({1, 2}), vector_of({3, 4})};
  const JvpResult result = jvp(product_and_sine, x, Tensors{vector_of({1, 0}), vector_of({0, 1})});

  expect_near(result.outputs[1], {std::sin(1), std::sin(2)});
  expect_near(result.tangents[0], {3, 2});
  expect_near(result.tangents[1], {std::cos(1), 0});
}

TEST(Functional, WhatDoesNotDependHasZeros) {
  const Tensor x = vector_of({1, 2});
  const auto constant = [](const Tensor& t) { return floor(t) * 0.0 + ones({2}, DType::f64); };
  const auto unrelated = [](const Tensor&) { return ones({3}); };

  expect_near(vjp(constant, x, vector_of({1, 1})).second, {0, 0});
  expect_near(jvp(constant, x, vector_of({1, 1})).second, {0, 0});
  expect_near(jvp(unrelated, x, vector_of({1, 1})).second, {0, 0, 0});
  expect_near(vjp(unrelated, x, ones({3})).second, {0, 0});
}

TEST(Functional, TheJvpLeavesNothingOfTheBackwardPass) {
  const Tensor x = spread({8}, 0.5, 1.5);
  const Tensor tangent = jvp([](const Tensor& t) { return tanh(t); }, x, x).second;
  const Tensor direct = (1.0 - square(tanh(x))) * x;

  EXPECT_EQ(tangent.to_vector<double>(), direct.to_vector<double>());
  EXPECT_FALSE(tangent.requires_grad());
}

TEST(Functional, JacobianByRowsAndByColumns) {
  const Tensor x = vector_of({1, 2, 3});
  const auto narrow = [](const Tensor& t) { return stack(Tensors{sum(t * t), prod(t)}, 0); };
  const auto wide = [](const Tensor& t) { return concat({t * t, sin(t)}, 0); };

  const Tensor rows = jacobian(narrow, x);
  EXPECT_EQ(rows.shape(), (Shape{2, 3}));
  expect_near(rows, {2, 4, 6, 6, 3, 2});
  const Tensor columns = jacobian(wide, x);
  EXPECT_EQ(columns.shape(), (Shape{6, 3}));
  expect_near(slice(columns, 0, 3, 6), {std::cos(1), 0, 0, 0, std::cos(2), 0, 0, 0, std::cos(3)});
}

TEST(Functional, JacobianHasABlockAnOutputAndInput) {
  const Tensors x = {spread({2, 2}, 0.5, 1.5), spread({3}, 0.5, 1.5)};
  const auto f = [](std::span<const Tensor> t) {
    return Tensors{reshape(t[0], {4, 1}) * t[1], scalar(2.0, DType::f64) * sum(t[1])};
  };
  const auto blocks = jacobian(f, x);

  EXPECT_EQ(blocks[0][0].shape(), (Shape{4, 3, 2, 2}));
  EXPECT_EQ(blocks[0][1].shape(), (Shape{4, 3, 3}));
  expect_near(blocks[1][0], {0, 0, 0, 0});
  expect_near(blocks[1][1], {2, 2, 2});
  expect_near(sum(blocks[0][0], {0, 2, 3}), (4.0 * x[1]).to_vector<double>());
}

TEST(Functional, JacobianOfNothing) {
  const Tensor x = zeros({0}, DType::f64);

  EXPECT_EQ(jacobian([](const Tensor& t) { return exp(t); }, x).shape(), (Shape{0, 0}));
  EXPECT_EQ(jacobian([](const Tensor& t) { return sum(t); }, x).shape(), (Shape{0}));
}

Tensor cubic(const Tensor& x) {
  return sum(x * x * x) + prod(x);
}

TEST(Functional, HessianIsSymmetricAndExact) {
  expect_near(hessian(cubic, vector_of({1, 2, 3})), {6, 3, 2, 3, 12, 1, 2, 1, 18});
}

TEST(Functional, HvpIsTheHessianTimesAVector) {
  const Tensor x = spread({3}, 0.5, 1.5);
  const Tensor v = vector_of({1, -2, 0.5});

  expect_near(hvp(cubic, x, v), matmul(hessian(cubic, x), v).to_vector<double>());
}

TEST(Functional, NestsToAnyOrder) {
  const TensorFunction third = [](const Tensor& x) {
    return jvp(
               [](const Tensor& y) {
                 return hessian([](const Tensor& z) { return sum(exp(2.0 * z)); }, y);
               },
               x,
               ones(x.shape(), DType::f64))
        .second;
  };

  expect_near(third(vector_of({0})), {8});
  expect_near(jacobian(third, vector_of({0})), {16});
}

TEST(Functional, GradientsFlowToTheInputsAndToOtherTensors) {
  Tensor x = vector_of({2});
  Tensor w = vector_of({3});
  x.requires_grad_();
  w.requires_grad_();
  const Tensor v = vector_of({1});
  const auto f = [&](const Tensor& t) { return t * t * t * w; };

  const Tensor tangent = jvp(f, x, v).second;  // 3 x^2 w
  sum(tangent).backward();
  expect_near(x.grad(), {36});
  expect_near(w.grad(), {12});
}

TEST(Functional, ResultsHaveNoHistoryOfTheirOwn) {
  const Tensor x = vector_of({2});
  Tensor w = vector_of({3});
  w.requires_grad_();
  const auto f = [&](const Tensor& t) { return t * t * w; };

  EXPECT_FALSE(vjp([](const Tensor& t) { return t * t; }, x, x).second.requires_grad());
  EXPECT_TRUE(vjp(f, x, x).second.requires_grad());
  const NoGradGuard guard;
  const auto [output, gradient] = vjp(f, x, x);
  EXPECT_FALSE(output.requires_grad());
  EXPECT_FALSE(gradient.requires_grad());
  expect_near(gradient, {24});
}

}  // namespace
}  // namespace wick
