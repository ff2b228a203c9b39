#include "expect_values.h"

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

}  // namespace
}  // namespace wick::detail
