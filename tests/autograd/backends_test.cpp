#include <cmath>
#include <string>

#include "gradcheck.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops_conv.h"
#include "wick/tensor/ops_index.h"
#include "wick/tensor/ops_pool.h"

namespace wick {
namespace {

using testing_support::spread;
using testing_support::TensorFunction;

/// Switches the backend while it lives.
class BackendScope {
 public:
  explicit BackendScope(std::string name)
      : previous_(std::exchange(options().backend, std::move(name))) {}

  ~BackendScope() { options().backend = previous_; }

  BackendScope(const BackendScope&) = delete;
  BackendScope& operator=(const BackendScope&) = delete;

 private:
  std::string previous_;
};

std::vector<std::vector<float>> gradients_on(const std::string& backend,
                                             const TensorFunction& f,
                                             const std::vector<Shape>& shapes) {
  const BackendScope scope(backend);
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) {
    Tensor x = cast(spread(shape, 0.3, 1.7, static_cast<unsigned>(inputs.size()) + 1), DType::f32);
    materialize(x);
    x.requires_grad_();
    inputs.push_back(x);
  }
  const Tensor loss = sum(f(inputs));
  const std::vector<Tensor> gradients = grad({&loss, 1}, inputs, {.retain_graph = false});
  materialize(gradients);
  std::vector<std::vector<float>> values;
  for (const Tensor& gradient : gradients)
    values.push_back(gradient.to_vector<float>());
  return values;
}

struct Case {
  std::string name;
  TensorFunction f;
  std::vector<Shape> shapes;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Backends : public testing::TestWithParam<Case> {};

TEST_P(Backends, AgreeOnGradients) {
  const Case& c = GetParam();
  const auto compiled = gradients_on(compiled_backend(), c.f, c.shapes);
  const auto expected = gradients_on("interpreter", c.f, c.shapes);

  // Sums of a few hundred terms in another order, functions to 2 ulp.
  constexpr double kTolerance = 2e-5;
  for (size_t input = 0; input < expected.size(); ++input) {
    ASSERT_EQ(compiled[input].size(), expected[input].size());
    for (size_t i = 0; i < expected[input].size(); ++i) {
      const double want = expected[input][i];
      EXPECT_NEAR(compiled[input][i], want, kTolerance * std::max(1.0, std::abs(want)))
          << "input " << input << ", element " << i;
    }
  }
}

using Inputs = std::span<const Tensor>;

INSTANTIATE_TEST_SUITE_P(
    All,
    Backends,
    testing::Values(
        Case{"chain", [](Inputs x) { return tanh(x[0] * x[1] + x[2]); }, {{9, 17}, {17}, {9, 1}}},
        Case{"functions",
             [](Inputs x) {
               return exp(x[0]) * log(x[0]) + sqrt(x[0]) / rsqrt(x[0]) + erf(sin(x[0])) +
                      sigmoid(cos(x[0])) + pow(x[0], x[0]);
             },
             {{33}}},
        Case{"softmax",
             [](Inputs x) { return log_softmax(x[0], 1) * softmax(x[0] * 2.0F, 1); },
             {{7, 19}}},
        Case{"reductions",
             [](Inputs x) {
               return max(x[0], {1}) * min(x[0], {1}) + prod(x[0], {1}) + var(x[0], {1});
             },
             {{6, 13}}},
        Case{"matmul",
             [](Inputs x) { return square(matmul(relu(matmul(x[0], x[1])), x[2])); },
             {{8, 5}, {5, 12}, {12, 3}}},
        Case{"batched", [](Inputs x) { return square(matmul(x[0], x[1])); }, {{3, 4, 5}, {5, 6}}},
        Case{"convolution",
             [](Inputs x) {
               const Tensor y = relu(conv2d(x[0], x[1], {.padding = {1, 1}}) - 4.0F);
               return square(max_pool2d(y, {.kernel = {2, 2}})) + avg_pool2d(y, {.kernel = {2, 2}});
             },
             {{2, 3, 8, 8}, {4, 3, 3, 3}}},
        Case{"movement",
             [](Inputs x) {
               const Tensor y = concat({slice(x[0], 1, 5, 0, -2), x[1]}, 1).permute({1, 0});
               return square(pad(y, {1, 0}, {0, 2}, 1.0)) * 2.0F;
             },
             {{4, 6}, {4, 2}}},
        Case{"indexed",
             [](Inputs x) {
               const Tensor i = from_vector(std::vector<int64_t>{3, 1, 1, 0}, {4});
               return square(take(x[0], i, 0) + index_add(x[1], 0, i, x[1]));
             },
             {{4, 6}, {4, 6}}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wick
