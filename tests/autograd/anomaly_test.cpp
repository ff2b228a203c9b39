// The switch detect_anomaly: the op and line that a NaN comes from, forward and backward.

#include <limits>

#include "support/compiled_backend.h"
#include "support/on_host.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Anomaly : public testing::TestWithParam<const char*> {
 protected:
  static Options detecting() {
    Options options = wick::options();
    options.detect_anomaly = true;
    options.backend = backend_named(GetParam());
    return options;
  }

  ScopedOptions scope_{detecting()};
};

/// The error of materializing the tensor; its line must be `line`.
std::string error_of(const Tensor& tensor, uint32_t line) {
  try {
    materialize(tensor);
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.where().file).ends_with("anomaly_test.cpp")) << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
    return error.op() + ": " + error.text();
  }
  return "";
}

TEST_P(Anomaly, NamesTheForwardOp) {
  if (!on_host()) GTEST_SKIP() << "both backends would share one plan, which names one line";
  const Tensor x = tensor({{4, 1}, {-1, 2}});
  const uint32_t line = __LINE__ + 1;
  const Tensor root = log(x);
  const Tensor loss = sum(root * 2 + 1);

  EXPECT_EQ(error_of(loss, line), "log: gave NaN at [1, 0] of f32[2,2], and no operand holds one");
}

TEST_P(Anomaly, NamesTheLineWhoseGradientIsNan) {
  Tensor x = tensor({1, 0});
  x.requires_grad_();
  const uint32_t line = __LINE__ + 1;
  const Tensor squares = x * x;
  const Tensor loss = sum(sqrt(squares));
  const Tensor gradient = grad(loss, x);  // inf * 0

  EXPECT_EQ(loss.item<float>(), 1);
  EXPECT_EQ(error_of(gradient, line), "mul: gave NaN at [1] of f32[2], and no operand holds one");
}

TEST_P(Anomaly, LeavesTheUsersOwnNanAlone) {
  const Tensor x = tensor({1, kNan});

  EXPECT_EQ(error_of(sum(exp(x)), 0), "");
}

TEST_P(Anomaly, LeavesNanAloneThatNoResultShows) {
  const Tensor x = tensor({1, -1});
  const Tensor safe = where(x > 0, log(x), 0.0);

  EXPECT_EQ(error_of(safe, 0), "");
}

TEST_P(Anomaly, FindsTheFirstOfSeveral) {
  if (!on_host()) GTEST_SKIP() << "both backends would share one plan, which names one line";
  const Tensor x = tensor({-1, kNan});
  const uint32_t line = __LINE__ + 1;
  const Tensor first = log(slice(x, 0, 0, 1));
  const Tensor second = sqrt(slice(x, 0, 0, 1));

  EXPECT_EQ(error_of(first + second + slice(x, 0, 1, 2), line),
            "log: gave NaN at [0] of f32[1], and no operand holds one");
}

INSTANTIATE_TEST_SUITE_P(Backends, Anomaly, testing::Values("interpreter", "compiled"));

}  // namespace
}  // namespace wick
