// Functions made of several ops, in f32, against the C library in long double.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/distance_in_ulp.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"

namespace wick {
namespace {

struct Function {
  std::string name;
  Tensor (*value)(const Tensor&);
  long double (*exact)(long double);
};

void PrintTo(const Function& function, std::ostream* out) {
  *out << function.name;
}

/// log(1 + e^x).
long double exact_softplus(long double x) {
  return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
}

/// Floats of any size, and as many between -110 and 110, where powers are neither 0 nor infinite.
std::vector<float> inputs() {
  constexpr uint32_t kStep = 0x9E3779B9;  // the golden ratio: spread evenly
  constexpr uint32_t kCount = 200000;
  std::vector<float> x;
  for (uint32_t i = 0; i < kCount; ++i) {
    const float any = std::bit_cast<float>(i * kStep);
    if (!std::isnan(any)) x.push_back(any);
    x.push_back(static_cast<float>(i * kStep) * 0x1.b8p-25F - 110);
  }
  return x;
}

class Accuracy : public testing::TestWithParam<Function> {};

TEST_P(Accuracy, IsWithinItsBound) {
  constexpr double kMostUlp = 2.5;  // 2 with fused multiply-adds, which not all backends have
  const std::vector<float> x = inputs();
  const auto count = static_cast<int64_t>(x.size());
  const std::vector<float> y = GetParam().value(from_vector(x, {count})).to_vector<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = GetParam().exact(x[i]);
    ASSERT_LE(testing_support::distance_in_ulp(y[i], exact), kMostUlp)
        << std::hexfloat << x[i] << " becomes " << y[i] << ", not " << static_cast<float>(exact);
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         Accuracy,
                         testing::Values(Function{"expm1",
                                                  [](const Tensor& x) { return expm1(x); },
                                                  [](long double x) { return std::expm1(x); }},
                                         Function{"softplus",
                                                  [](const Tensor& x) {
                                                    return softplus(
                                                        x, 1, std::numeric_limits<double>::max());
                                                  },
                                                  exact_softplus},
                                         Function{
                                             "logsigmoid",
                                             [](const Tensor& x) { return logsigmoid(x); },
                                             [](long double x) { return -exact_softplus(-x); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wick
