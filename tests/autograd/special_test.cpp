// Functions with gradients of their own: first and second order against differences, and the errors
// of these families of functions.

#include "wick/autograd/special.h"

#include <cmath>
#include <string>

#include "gradcheck.h"
#include <gtest/gtest.h>

#include "wick/autograd/activation.h"
#include "wick/autograd/autograd.h"
#include "wick/autograd/elementary.h"
#include "wick/tensor/ops_activation.h"
#include "wick/tensor/ops_arithmetic.h"
#include "wick/tensor/ops_math.h"
#include "wick/tensor/ops_statistics.h"

namespace wick {
namespace {

using testing_support::gradients_match;
using testing_support::second_gradients_match;
using testing_support::spread;

using Inputs = std::span<const Tensor>;

struct Case {
  std::string name;
  Tensor (*function)(Inputs);
  int inputs = 1;
  double low = 0.1;
  double high = 0.9;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class OwnGradients : public testing::TestWithParam<Case> {};

TEST_P(OwnGradients, EqualDifferencesInBothOrders) {
  const Case& c = GetParam();
  std::vector<Tensor> inputs;
  for (int i = 0; i < c.inputs; ++i) {
    const Shape shape = i == 0 ? Shape{2, 3} : Shape{3};
    inputs.push_back(spread(shape, c.low, c.high, static_cast<unsigned>(i) + 1));
  }
  const auto f = [&](Inputs x) { return c.function(x); };

  EXPECT_TRUE(gradients_match(f, inputs, {.tolerance = 1e-6}));
  EXPECT_TRUE(second_gradients_match(f, inputs, {.tolerance = 1e-5}));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    OwnGradients,
    testing::Values(
        Case{"tan", [](Inputs x) { return tan(x[0]); }},
        Case{"asin", [](Inputs x) { return asin(x[0]); }},
        Case{"acos", [](Inputs x) { return acos(x[0]); }},
        Case{"atan2", [](Inputs x) { return atan2(x[0], x[1]); }, 2},
        Case{"sinh", [](Inputs x) { return sinh(x[0]); }},
        Case{"cosh", [](Inputs x) { return cosh(x[0]); }},
        Case{"asinh", [](Inputs x) { return asinh(x[0]); }},
        Case{"acosh", [](Inputs x) { return acosh(x[0] + 1); }},
        Case{"atanh", [](Inputs x) { return atanh(x[0]); }},
        Case{"expm1", [](Inputs x) { return expm1(x[0]); }},
        Case{"log1p", [](Inputs x) { return log1p(x[0]); }},
        Case{"exp2", [](Inputs x) { return exp2(x[0]); }},
        Case{"log2", [](Inputs x) { return log2(x[0]); }},
        Case{"logaddexp", [](Inputs x) { return logaddexp(x[0], x[1]); }, 2},
        Case{"logaddexp2", [](Inputs x) { return logaddexp2(x[0], x[1]); }, 2},
        Case{"cbrt", [](Inputs x) { return cbrt(x[0]); }},
        Case{"hypot", [](Inputs x) { return hypot(x[0], x[1]); }, 2},
        Case{"copysign", [](Inputs x) { return square(copysign(x[0], x[0] - 0.5)); }},
        Case{"fmod", [](Inputs x) { return square(fmod(x[0] * 5, x[1])); }, 2, 0.45, 0.95},
        Case{"erfc", [](Inputs x) { return erfc(x[0]); }},
        Case{"erfinv", [](Inputs x) { return erfinv(x[0]); }},
        Case{"lgamma", [](Inputs x) { return lgamma(x[0]); }},
        Case{"lgamma_below", [](Inputs x) { return lgamma(x[0] - 2); }},
        Case{"digamma", [](Inputs x) { return digamma(x[0] + 0.2); }},
        Case{"polygamma", [](Inputs x) { return polygamma(2, x[0] + 0.7); }},
        Case{"polygamma_below", [](Inputs x) { return polygamma(1, x[0] * 0.5 - 0.75) * 0.01; }},
        Case{"sinc", [](Inputs x) { return sinc(x[0]); }},
        Case{"sinc_near_0", [](Inputs x) { return sinc(x[0] * 0.05); }},
        Case{"logit", [](Inputs x) { return logit(x[0]); }},
        Case{"xlogy", [](Inputs x) { return xlogy(x[0], x[1]); }, 2},
        Case{"xlog1py", [](Inputs x) { return xlog1py(x[0], x[1]); }, 2},
        Case{"elu", [](Inputs x) { return elu(x[0] - 0.5, 1.5); }},
        Case{"celu", [](Inputs x) { return celu(x[0] - 0.5, 1.5); }},
        Case{"selu", [](Inputs x) { return selu(x[0] - 0.5); }},
        Case{"softplus", [](Inputs x) { return softplus(x[0] - 0.5, 2); }},
        Case{"logsigmoid", [](Inputs x) { return logsigmoid(x[0] - 0.5); }},
        Case{"mish", [](Inputs x) { return mish(x[0] - 0.5); }},
        Case{"gelu_tanh", [](Inputs x) { return gelu_tanh(x[0] - 0.5); }},
        Case{"hardswish", [](Inputs x) { return hardswish(x[0] * 8 - 4); }},
        Case{"prelu", [](Inputs x) { return prelu(x[0] - 0.5, x[1]); }, 2},
        Case{"lerp", [](Inputs x) { return lerp(x[0], x[0] * x[0], x[1]); }, 2},
        Case{"clamp", [](Inputs x) { return square(clamp(x[0], x[1] * 0.5, x[1])); }, 2},
        Case{"std", [](Inputs x) { return std(x[0], {.axes = {1}}); }},
        Case{"norm", [](Inputs x) { return norm(x[0], 2, {1}); }},
        Case{"norm_3", [](Inputs x) { return norm(x[0], 3, {1}); }},
        Case{"norm_inf", [](Inputs x) { return square(norm(x[0], INFINITY, {1})); }},
        Case{"logsumexp", [](Inputs x) { return logsumexp(x[0], {1}); }},
        Case{"cosine_similarity", [](Inputs x) { return cosine_similarity(x[0], x[1]); }, 2},
        Case{"max_with_index", [](Inputs x) { return square(max_with_index(x[0], 1).values); }}),
    [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

struct Mistake {
  std::string name;
  void (*make)();
  std::string text;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, NameOpTypesAndLine) {
  try {
    GetParam().make();
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("special_test.cpp:"), std::string::npos) << message;
    EXPECT_NE(message.find("error: " + GetParam().text), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    Mistakes,
    testing::Values(
        Mistake{"undefined", [] { (void)tan(Tensor()); }, "tan: operand 1 is an undefined tensor"},
        Mistake{"undefined_second",
                [] { (void)hypot(ones({2}), Tensor()); },
                "hypot: operand 2 is an undefined tensor"},
        Mistake{"two_numbers",
                [] { (void)logaddexp(1, 2); },
                "logaddexp: at least one operand must be a tensor"},
        Mistake{"polygamma",
                [] { (void)polygamma(-1, ones({2})); },
                "polygamma: n is -1; it must not be negative"},
        Mistake{"prelu",
                [] { (void)prelu(ones({2, 3}), ones({2})); },
                "prelu: the weight f32[2] fits neither the 3 channels of f32[2,3] nor all of them"},
        Mistake{"glu",
                [] { (void)glu(ones({2, 3})); },
                "glu: the extent 3 of axis -1 of f32[2,3] is odd"},
        Mistake{"celu", [] { (void)celu(ones({2}), 0); }, "celu: alpha is 0; it must not be"},
        Mistake{"cdist",
                [] { (void)cdist(ones({2, 3}), ones({2, 4})); },
                "cdist: f32[2,3] and f32[2,4] are no two sets of rows of one length"},
        Mistake{"shapes",
                [] { (void)atan2(ones({2}), ones({3})); },
                "atan2: shapes do not broadcast: f32[2] and f32[3]"}),
    [](const testing::TestParamInfo<Mistake>& info) { return info.param.name; });

}  // namespace
}  // namespace wick
