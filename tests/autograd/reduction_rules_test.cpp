#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;
using testing_support::TensorFunction;

struct ReductionCase {
  std::string name;
  std::function<Tensor(const Tensor&, const Axes&, bool)> f;
};

void PrintTo(const ReductionCase& c, std::ostream* out) {
  *out << c.name;
}

class ReductionRules : public testing::TestWithParam<ReductionCase> {};

TEST_P(ReductionRules, EqualsDifferencesOverAxes) {
  const Shape shape{2, 3, 4};
  for (const Axes& axes :
       {Axes{}, Axes{0}, Axes{1}, Axes{-1}, Axes{0, 2}, Axes{1, 2}, Axes{0, 1, 2}}) {
    for (const bool keepdims : {false, true}) {
      const TensorFunction f = [&](std::span<const Tensor> x) {
        return GetParam().f(x[0], axes, keepdims);
      };
      EXPECT_TRUE(gradients_match(f, {spread(shape, 0.5, 2)})) << axes.size() << keepdims;
    }
  }
}

TEST_P(ReductionRules, EqualsDifferencesOfSmallShapes) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{5}, Shape{1, 3}, Shape{3, 1}}) {
    const TensorFunction f = [&](std::span<const Tensor> x) {
      return GetParam().f(x[0], {}, false);
    };
    EXPECT_TRUE(gradients_match(f, {spread(shape, 0.5, 2)})) << to_string(shape);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    ReductionRules,
    testing::Values(
        ReductionCase{"sum", [](const Tensor& x, Axes a, bool k) { return sum(x * x, a, k); }},
        ReductionCase{"prod", [](const Tensor& x, Axes a, bool k) { return prod(x, a, k); }},
        ReductionCase{"max", [](const Tensor& x, Axes a, bool k) { return max(x, a, k); }},
        ReductionCase{"min", [](const Tensor& x, Axes a, bool k) { return min(x, a, k); }},
        ReductionCase{"mean", [](const Tensor& x, Axes a, bool k) { return mean(x * x, a, k); }},
        ReductionCase{"var", [](const Tensor& x, Axes a, bool k) { return var(x, a, k, 0); }},
        ReductionCase{"logsumexp",
                      [](const Tensor& x, Axes a, bool k) { return logsumexp(x, a, k); }}),
    [](const auto& info) { return info.param.name; });

TEST(ReductionRulesOne, SoftmaxAndItsLogarithmEqualDifferences) {
  for (const int axis : {0, 1, -1}) {
    const TensorFunction soft = [&](std::span<const Tensor> x) { return softmax(x[0], axis); };
    const TensorFunction log = [&](std::span<const Tensor> x) { return log_softmax(x[0], axis); };
    EXPECT_TRUE(gradients_match(soft, {spread({3, 4}, -2, 2)}));
    EXPECT_TRUE(gradients_match(log, {spread({3, 4}, -2, 2)}));
  }
}

TEST(ReductionRulesOne, EqualLargestShareTheCotangent) {
  Tensor x = tensor({{1, 3, 3}, {2, 2, 2}});
  x.requires_grad_();

  sum(max(x, {1})).backward();

  EXPECT_EQ(x.grad().to_vector<float>(),
            (std::vector<float>{0, 0.5F, 0.5F, 1 / 3.0F, 1 / 3.0F, 1 / 3.0F}));
}

TEST(ReductionRulesOne, EqualSmallestShareTheCotangent) {
  Tensor x = tensor({4, 1, 1, 7});
  x.requires_grad_();

  min(x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0.5F, 0.5F, 0}));
}

TEST(ReductionRulesOne, ProductsWithZerosHaveExactGradients) {
  Tensor x = tensor({{2, 3, 4}, {2, 0, 4}, {0, 3, 0}});
  x.requires_grad_();

  sum(prod(x, {1})).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{12, 8, 6, 0, 8, 0, 0, 0, 0}));
}

TEST(ReductionRulesOne, SecondGradientsOfProductsWithZerosEqualDifferences) {
  const TensorFunction f = [](std::span<const Tensor> x) { return prod(x[0]); };

  EXPECT_TRUE(second_gradients_match(f, {from_vector(std::vector<double>{2, 0, 3, 0, 5}, {5})}));
}

TEST(ReductionRulesOne, SumOfNothingGivesNothing) {
  Tensor x = zeros({0, 3});
  x.requires_grad_();

  (sum(x) + sum(prod(x, {1}))).backward();

  EXPECT_EQ(x.grad().shape(), (Shape{0, 3}));
}

TEST(ReductionRulesOne, NothingFlowsThroughPositions) {
  Tensor x = tensor({1, 2});
  x.requires_grad_();

  EXPECT_FALSE(argmax(x, 0).requires_grad());
  EXPECT_FALSE(argmin(x, 0).requires_grad());
}

}  // namespace
}  // namespace wick
