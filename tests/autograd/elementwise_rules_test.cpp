#include <cmath>
#include <limits>
#include <string>

#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

struct UnaryCase {
  std::string name;
  std::function<Tensor(const Tensor&)> f;
  double low;
  double high;
};

void PrintTo(const UnaryCase& c, std::ostream* out) {
  *out << c.name;
}

class UnaryRules : public testing::TestWithParam<UnaryCase> {};

TEST_P(UnaryRules, EqualsDifferences) {
  const UnaryCase& c = GetParam();
  const TensorFunction f = [&c](std::span<const Tensor> x) { return c.f(x[0]); };

  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{2, 3}, Shape{0, 3}}) {
    EXPECT_TRUE(gradients_match(f, {spread(shape, c.low, c.high)})) << to_string(shape);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    UnaryRules,
    testing::Values(
        UnaryCase{"neg", [](const Tensor& x) { return -x; }, -2, 2},
        UnaryCase{"abs", [](const Tensor& x) { return abs(x); }, -2, 2},
        UnaryCase{"sign", [](const Tensor& x) { return sign(x) + x; }, -2, 2},
        UnaryCase{"floor", [](const Tensor& x) { return floor(x) + x; }, 0.1, 0.9},
        UnaryCase{"ceil", [](const Tensor& x) { return ceil(x) + x; }, 0.1, 0.9},
        UnaryCase{"round", [](const Tensor& x) { return round(x) + x; }, -0.4, 0.4},
        UnaryCase{"exp", [](const Tensor& x) { return exp(x); }, -2, 2},
        UnaryCase{"log", [](const Tensor& x) { return log(x); }, 0.3, 3},
        UnaryCase{"sqrt", [](const Tensor& x) { return sqrt(x); }, 0.3, 3},
        UnaryCase{"rsqrt", [](const Tensor& x) { return rsqrt(x); }, 0.5, 3},
        UnaryCase{"sin", [](const Tensor& x) { return sin(x); }, -3, 3},
        UnaryCase{"cos", [](const Tensor& x) { return cos(x); }, -3, 3},
        UnaryCase{"tanh", [](const Tensor& x) { return tanh(x); }, -2, 2},
        UnaryCase{"erf", [](const Tensor& x) { return erf(x); }, -2, 2},
        UnaryCase{"sigmoid", [](const Tensor& x) { return sigmoid(x); }, -3, 3},
        UnaryCase{"square", [](const Tensor& x) { return square(x); }, -2, 2},
        UnaryCase{"relu", [](const Tensor& x) { return relu(x); }, -2, 2},
        UnaryCase{"gelu", [](const Tensor& x) { return gelu(x); }, -2, 2},
        UnaryCase{"silu", [](const Tensor& x) { return silu(x); }, -2, 2},
        UnaryCase{"clamp", [](const Tensor& x) { return clamp(x, -0.71, 0.93); }, -2, 2},
        UnaryCase{"cube", [](const Tensor& x) { return pow(x, 3); }, -2, 2},
        UnaryCase{"power", [](const Tensor& x) { return pow(x, 2.5); }, 0.2, 2},
        UnaryCase{"root_of_cube", [](const Tensor& x) { return pow(x, 1.5); }, 0.2, 2},
        UnaryCase{"its_reciprocal", [](const Tensor& x) { return pow(x, -1.5); }, 0.5, 2}),
    [](const auto& info) { return info.param.name; });

struct BinaryCase {
  std::string name;
  std::function<Tensor(const Tensor&, const Tensor&)> f;
  double low;
  double high;
};

void PrintTo(const BinaryCase& c, std::ostream* out) {
  *out << c.name;
}

class BinaryRules : public testing::TestWithParam<BinaryCase> {};

TEST_P(BinaryRules, EqualsDifferencesOverBroadcasts) {
  const BinaryCase& c = GetParam();
  const TensorFunction f = [&c](std::span<const Tensor> x) { return c.f(x[0], x[1]); };
  const std::vector<std::pair<Shape, Shape>> kShapes = {{{}, {}},
                                                        {{3}, {3}},
                                                        {{2, 3}, {3}},
                                                        {{3}, {2, 3}},
                                                        {{2, 1}, {1, 3}},
                                                        {{2, 3}, {}},
                                                        {{}, {2, 3}},
                                                        {{2, 1, 2}, {3, 1}},
                                                        {{1, 1, 3}, {2, 2, 1}},
                                                        {{1}, {2, 2}},
                                                        {{2, 3}, {1, 1}}};

  for (const auto& [a, b] : kShapes) {
    EXPECT_TRUE(gradients_match(f, {spread(a, c.low, c.high, 3), spread(b, c.low, c.high, 4)}))
        << to_string(a) << " and " << to_string(b);
  }
}

TEST_P(BinaryRules, GivesNothingToAnOperandThatTakesNone) {
  const BinaryCase& c = GetParam();
  const Tensor fixed = spread({2, 3}, c.low, c.high, 4);
  const TensorFunction left = [&](std::span<const Tensor> x) { return c.f(x[0], fixed); };
  const TensorFunction right = [&](std::span<const Tensor> x) { return c.f(fixed, x[0]); };

  EXPECT_TRUE(gradients_match(left, {spread({3}, c.low, c.high, 5)}));
  EXPECT_TRUE(gradients_match(right, {spread({3}, c.low, c.high, 5)}));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BinaryRules,
    testing::Values(
        BinaryCase{"add", [](const Tensor& a, const Tensor& b) { return a + b; }, -2, 2},
        BinaryCase{"sub", [](const Tensor& a, const Tensor& b) { return a - b; }, -2, 2},
        BinaryCase{"mul", [](const Tensor& a, const Tensor& b) { return a * b; }, -2, 2},
        BinaryCase{"div", [](const Tensor& a, const Tensor& b) { return a / b; }, 0.5, 2},
        BinaryCase{"rem", [](const Tensor& a, const Tensor& b) { return a % (b * 10); }, 0.5, 2},
        BinaryCase{"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }, 0.3, 2},
        BinaryCase{"maximum",
                   [](const Tensor& a, const Tensor& b) { return maximum(a, b * 0.917); },
                   -2,
                   2},
        BinaryCase{"minimum",
                   [](const Tensor& a, const Tensor& b) { return minimum(a, b * 0.917); },
                   -2,
                   2},
        BinaryCase{"where",
                   [](const Tensor& a, const Tensor& b) { return where(a > b * 0.917, a * a, b); },
                   -2,
                   2}),
    [](const auto& info) { return info.param.name; });

std::vector<double> gradient_of(const std::function<Tensor(const Tensor&)>& f, double at) {
  Tensor x = scalar(at, DType::f64).reshape({1});
  x.requires_grad_();
  return grad(sum(f(x)), x).to_vector<double>();
}

TEST(ElementwiseRules, AbsIsFlatAtZero) {
  EXPECT_EQ(gradient_of([](const Tensor& x) { return abs(x); }, 0.0), std::vector<double>{0});
}

TEST(ElementwiseRules, ReluIsFlatAtZero) {
  EXPECT_EQ(gradient_of([](const Tensor& x) { return relu(x); }, 0.0), std::vector<double>{0});
}

TEST(ElementwiseRules, TiesOfMaximumAndMinimumAreShared) {
  Tensor a = tensor({1, 2, 3}).detach();
  Tensor b = tensor({1, 5, 0}).detach();
  a.requires_grad_();
  b.requires_grad_();

  sum(maximum(a, b) + minimum(a, b) * 10).backward();

  EXPECT_EQ(a.grad().to_vector<float>(), (std::vector<float>{5.5, 10, 1}));
  EXPECT_EQ(b.grad().to_vector<float>(), (std::vector<float>{5.5, 1, 10}));
}

TEST(ElementwiseRules, PowIsFiniteAtZero) {
  const Tensor zero = zeros({1}, DType::f64);
  Tensor x = zero.detach();
  Tensor y = from_vector(std::vector<double>{0, 1, 2, 3}, {4});
  x.requires_grad_();
  y.requires_grad_();

  const auto gradients = grad({sum(pow(x, y))}, {x, y});

  EXPECT_EQ(gradients[0].to_vector<double>(), std::vector<double>{1});
  EXPECT_EQ(gradients[1].to_vector<double>(), (std::vector<double>{0, 0, 0, 0}));
}

TEST(ElementwiseRules, WhereStopsTheBranchNotTaken) {
  const auto f = [](const Tensor& x) { return where(x > 0.0, log(x), x * 3); };

  EXPECT_EQ(gradient_of(f, 4.0), std::vector<double>{0.25});
  EXPECT_EQ(gradient_of(f, -1.0), std::vector<double>{3});
}

TEST(ElementwiseRules, CastBringsTheCotangentBack) {
  Tensor x = tensor({1, 2});
  x.requires_grad_();

  const Tensor gradient = grad(sum(cast(x, DType::f64) * 3.0), x);

  EXPECT_EQ(gradient.dtype(), DType::f32);
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(ElementwiseRules, NothingFlowsThroughIntegers) {
  Tensor x = tensor({1.5, 2.5});
  x.requires_grad_();

  const Tensor through = cast(cast(x, DType::i64), DType::f32);

  EXPECT_FALSE(through.requires_grad());
  EXPECT_FALSE((x > 2.0).requires_grad());
}

}  // namespace
}  // namespace wick
