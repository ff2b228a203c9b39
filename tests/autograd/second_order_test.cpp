#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/autograd/functional.h"
#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing_support::second_gradients_match;
using testing_support::spread;

struct Case {
  std::string name;
  testing_support::TensorFunction f;
  std::vector<Shape> shapes;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class SecondOrder : public testing::TestWithParam<Case> {};

TEST_P(SecondOrder, EqualsDifferences) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : GetParam().shapes) {
    inputs.push_back(spread(shape, 0.4, 1.6, static_cast<unsigned>(inputs.size()) + 1));
  }

  EXPECT_TRUE(second_gradients_match(GetParam().f, inputs, {.tolerance = 1e-6}));
}

using Inputs = std::span<const Tensor>;

INSTANTIATE_TEST_SUITE_P(
    All,
    SecondOrder,
    testing::Values(
        Case{"mul", [](Inputs x) { return x[0] * x[1] * x[0]; }, {{2, 3}, {3}}},
        Case{"div", [](Inputs x) { return x[0] / x[1]; }, {{2, 3}, {2, 1}}},
        Case{"pow", [](Inputs x) { return pow(x[0], x[1]); }, {{2, 3}, {3}}},
        Case{"exp", [](Inputs x) { return exp(x[0] * x[0]); }, {{4}}},
        Case{"log", [](Inputs x) { return log(x[0]); }, {{4}}},
        Case{"sqrt", [](Inputs x) { return sqrt(x[0]); }, {{4}}},
        Case{"rsqrt", [](Inputs x) { return rsqrt(x[0]); }, {{4}}},
        Case{"sin", [](Inputs x) { return sin(x[0]) * cos(x[0]); }, {{4}}},
        Case{"tanh", [](Inputs x) { return tanh(x[0]); }, {{4}}},
        Case{"erf", [](Inputs x) { return erf(x[0]); }, {{4}}},
        Case{"sigmoid", [](Inputs x) { return sigmoid(x[0]); }, {{4}}},
        Case{"gelu", [](Inputs x) { return gelu(x[0]); }, {{4}}},
        Case{"maximum", [](Inputs x) { return square(maximum(x[0], x[1] * 0.9)); }, {{2, 3}, {3}}},
        Case{"softmax", [](Inputs x) { return log_softmax(x[0] * x[0], 1); }, {{3, 4}}},
        Case{"reduce_max", [](Inputs x) { return square(max(x[0], {1})); }, {{3, 4}}},
        Case{"prod", [](Inputs x) { return prod(x[0], {0}); }, {{3, 2}}},
        Case{"var", [](Inputs x) { return sqrt(var(x[0], {1})); }, {{3, 4}}},
        Case{"matmul", [](Inputs x) { return square(matmul(x[0], x[1])); }, {{2, 2, 3}, {3, 2}}},
        Case{"take",
             [](Inputs x) {
               return square(take(x[0] * x[0], from_vector(std::vector<int64_t>{1, 0, 1}, {3}), 1));
             },
             {{2, 3}}},
        Case{"add_sub", [](Inputs x) { return square(x[0] + x[1] - x[0] * x[1]); }, {{2, 3}, {3}}},
        Case{"neg", [](Inputs x) { return square(-x[0]); }, {{4}}},
        Case{"abs", [](Inputs x) { return abs(x[0] - 1.0) * x[0]; }, {{4}}},
        Case{"rem", [](Inputs x) { return square(x[0] % 0.7); }, {{4}}},
        Case{"log_of_exp", [](Inputs x) { return log(exp(x[0]) + 1.0); }, {{4}}},
        Case{"silu", [](Inputs x) { return silu(x[0]); }, {{4}}},
        Case{"relu", [](Inputs x) { return square(relu(x[0] - 1.0)) * x[0]; }, {{5}}},
        Case{"clamp", [](Inputs x) { return square(clamp(x[0], 0.7, 1.3)) * x[0]; }, {{6}}},
        Case{"where",
             [](Inputs x) { return where(x[0] > 1.0, x[0] * x[1], exp(x[1])); },
             {{4}, {4}}},
        Case{"minimum", [](Inputs x) { return square(minimum(x[0], x[1] * 0.9)); }, {{2, 3}, {3}}},
        Case{"cast", [](Inputs x) { return square(cast(x[0], DType::f64)); }, {{3}}},
        Case{"mean", [](Inputs x) { return square(mean(x[0], {0})); }, {{3, 4}}},
        Case{"reduce_min", [](Inputs x) { return square(min(x[0], {0})); }, {{3, 4}}},
        Case{"logsumexp", [](Inputs x) { return logsumexp(x[0], {1}); }, {{3, 4}}},
        Case{"broadcast", [](Inputs x) { return square(broadcast_to(x[0], {2, 3})); }, {{3}}},
        Case{"reshape",
             [](Inputs x) { return square(reshape(x[0], {3, 2})) * x[1]; },
             {{2, 3}, {2}}},
        Case{"scatter_add",
             [](Inputs x) {
               const Tensor rows = from_vector(std::vector<int64_t>{2, 0, 2}, {3});
               return square(index_add(x[0], 0, rows, x[1]));
             },
             {{3, 2}, {3, 2}}},
        Case{"conv2d",
             [](Inputs x) {
               return square(conv2d(x[0], x[1], {.stride = {2, 1}, .padding = {1, 0}}));
             },
             {{1, 2, 4, 3}, {2, 2, 3, 2}}},
        Case{"max_pool2d",
             [](Inputs x) { return square(max_pool2d(x[0], {.kernel = {2, 2}})); },
             {{1, 2, 4, 4}}},
        Case{"avg_pool2d",
             [](Inputs x) { return square(avg_pool2d(x[0], {.kernel = {2, 2}})); },
             {{1, 2, 4, 4}}},
        Case{"custom_gradient",
             [](Inputs x) {
               static const auto cube =
                   custom_gradient([](Inputs y) { return y[0] * y[0] * y[0]; },
                                   [](Inputs y, const Tensor&, const Tensor& g) {
                                     return std::vector{g * 3.0 * y[0] * y[0]};
                                   });
               return cube(x.first(1));
             },
             {{4}}},
        Case{"vjp_and_jvp",
             [](Inputs x) {
               const auto f = [](const Tensor& y) { return tanh(y * y); };
               return vjp(f, x[0], x[1]).second * jvp(f, x[0], x[1]).second;
             },
             {{4}, {4}}},
        Case{
            "movement",
            [](Inputs x) {
              return square(
                  concat({slice(x[0], 1, 2, 0, -1), pad(x[1], {0, 1}, {0, 0})}, 1).permute({1, 0}));
            },
            {{2, 3}, {2, 2}}}),
    [](const auto& info) { return info.param.name; });

TEST(ThirdOrder, OfAPolynomial) {
  Tensor x = scalar(2.0, DType::f64);
  x.requires_grad_();
  const Tensor y = x * x * x * x;
  const Tensor third = grad(grad(grad(y, x), x), x);

  EXPECT_EQ(third.item<double>(), 48);
}

}  // namespace
}  // namespace wick
