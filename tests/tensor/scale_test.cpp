#include "expect_values.h"
#include "support/small_stack.h"

#include "wick/passes/options.h"
#include "wick/tensor/capture.h"
#include "wick/tensor/materialize.h"

namespace wick::detail {
namespace {

constexpr int kMillion = 1000000;

class Scale : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = options();
    options().max_pending = 4 * kMillion;
  }

  void TearDown() override { options() = saved_; }

 private:
  Options saved_;
};

int64_t captured_ops(const Tensor& tensor) {
  Capture capture;
  const std::lock_guard guard(materialization_lock());
  capture.walk({&tensor.node(), 1}, false);
  return capture.num_ops();
}

TEST_F(Scale, AMillionDeep) {
  const int64_t before = num_pending_nodes();
  Tensor x = full({4}, 1.0);
  for (int i = 0; i < kMillion; ++i)
    x = x + 1.5;

  EXPECT_EQ(x.node()->pending_depth(), kMillion + 1U);
  EXPECT_EQ(captured_ops(x), kMillion + 1);
  EXPECT_GE(num_pending_nodes() - before, kMillion - 2048);

  x = Tensor();
  EXPECT_LE(num_pending_nodes() - before, 2048);
}

TEST_F(Scale, AMillionWide) {
  const Tensor x = full({4}, 1.0);
  std::vector<Tensor> parts;
  for (int i = 0; i < kMillion; ++i)
    parts.push_back(x * 1.5);
  Tensor all = concat(parts, 0);
  parts.clear();

  EXPECT_EQ(captured_ops(all), kMillion + 2);
  all = Tensor();
}

TEST_F(Scale, SharedOperandsAreWalkedOnce) {
  Tensor x = full({4}, 1.0);
  for (int i = 0; i < 200; ++i)
    x = x + x;  // 2^200 paths

  EXPECT_EQ(captured_ops(x), 201);
}

TEST(Node, StaysSmall) {
  EXPECT_LE(sizeof(Node), 160U);
}

/// Two dear values of a row of 50,000 that two loops need: more than the stack has room for.
TEST(SmallStacks, HoldWhatKernelsKeepThere) {
  wick::testing_support::run_on_small_stack([] {
    const Tensor x = arange(100000, DType::f32).reshape({2, 50000}) * 1e-5;
    materialize(x);
    const Tensor a = exp(x);
    const Tensor b = tanh(x);
    const Tensor most = max(a * b, {-1}, true);
    const Tensor y = (most - a) * b + a;

    const std::vector<float> values = y.to_vector<float>();

    const double e = std::exp(0.99999);
    const double t = std::tanh(0.99999);
    EXPECT_NEAR(values.front(), 1, 1e-5);  // at 0
    EXPECT_NEAR(values.back(), (e * t - e) * t + e, 1e-5);
  });
}

}  // namespace
}  // namespace wick::detail
