#include "support/on_host.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/runtime/memory_manager.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

constexpr int64_t kSide = 256;
constexpr int64_t kMatrixBytes = kSide * kSide * static_cast<int64_t>(sizeof(float));

int64_t bytes_in_use() {
  return runtime::memory_manager()->stats().bytes_in_use;
}

/// The list of losses holds a step's program until the next step.
void forget_pending() {
  (void)take_pending_losses();
  materialize(take_pending_gradients());
}

/// Bytes of the matrices in use, rounded to whole ones.
int64_t matrices_since(int64_t start) {
  return (bytes_in_use() - start + kMatrixBytes / 2) / kMatrixBytes;
}

TEST(Memory, SavedValuesGoAfterBackward) {
  if (!on_host()) GTEST_SKIP() << "counts memory of the host";
  const int64_t start = bytes_in_use();
  Tensor x = full({kSide, kSide}, 0.5);
  materialize(x);
  x.requires_grad_();
  Tensor h = x;
  for (int i = 0; i < 5; ++i)
    h = matmul(tanh(h), x);
  const Tensor loss = sum(h);
  h = Tensor();
  materialize(loss);
  EXPECT_GT(matrices_since(start), 3) << "the history keeps values";
  loss.backward();
  materialize(x.grad());

  EXPECT_EQ(matrices_since(start), 2) << "x and its gradient are left";
}

TEST(Memory, HistoryThatIsNeverUsedGoesWithItsTensors) {
  if (!on_host()) GTEST_SKIP() << "counts memory of the host";
  const int64_t start = bytes_in_use();
  Tensor x = full({kSide, kSide}, 0.5);
  materialize(x);
  x.requires_grad_();
  {
    Tensor h = x;
    for (int i = 0; i < 5; ++i)
      h = matmul(tanh(h), x);
    materialize(h);
  }

  EXPECT_EQ(matrices_since(start), 1);
}

TEST(Memory, RetainedHistoryGoesWithItsTensors) {
  const int64_t start = bytes_in_use();
  {
    Tensor x = full({kSide, kSide}, 0.5);
    materialize(x);
    x.requires_grad_();
    const Tensor y = sum(matmul(tanh(x), x));
    const Tensor gradient = grad(y, x);
    materialize(gradient);
  }

  EXPECT_EQ(matrices_since(start), 0);
}

TEST(Memory, GradientsThatNobodyReadsStayBounded) {
  if (!on_host()) GTEST_SKIP() << "counts memory of the host";
  forget_pending();
  const int64_t start = bytes_in_use();
  Tensor frozen = full({kSide, kSide}, 0.5);
  materialize(frozen);
  frozen.requires_grad_();
  for (int step = 0; step < 40; ++step) {
    const Tensor batch = rand({kSide, kSide});
    materialize(batch);
    sum(batch * tanh(frozen)).backward();
  }

  EXPECT_LE(matrices_since(start), 12) << "a batch for each step that may stay pending";
  forget_pending();
  EXPECT_EQ(matrices_since(start), 2);
}

TEST(Memory, LeavesThatAreDroppedWithTheirGradientsGo) {
  forget_pending();
  const int64_t start = bytes_in_use();
  for (int step = 0; step < 40; ++step) {
    Tensor x = full({kSide, kSide}, 0.5);
    materialize(x);
    x.requires_grad_();
    sum(tanh(x)).backward();
  }

  EXPECT_LE(matrices_since(start), 12);
  forget_pending();
  EXPECT_EQ(matrices_since(start), 0);
}

/// A product between two functions, which only the history holds.
struct Chain {
  Tensor w = eye(3);
  Tensor y;

  Chain() {
    w.requires_grad_();
    y = sum(exp(matmul(tanh(w), w)));
  }

  [[nodiscard]] bool keeps_product() const {
    const auto& exponential = y.node()->operands()[0];
    return exponential->operands()[0]->is_materialized();
  }
};

TEST(KeptForHistory, WhatAGradientWillRead) {
  const Chain chain;

  materialize(chain.y);

  EXPECT_TRUE(chain.keeps_product());
}

TEST(KeptForHistory, WhatAPendingGradientWillRead) {
  const Chain chain;
  const Tensor gradient = grad(chain.y, chain.w);

  materialize(chain.y);

  EXPECT_TRUE(chain.keeps_product());
  materialize(gradient);
}

TEST(KeptForHistory, NothingForAPassThatMayNeverCome) {
  const Chain chain;
  const Tensor gradient = grad(chain.y, chain.w);

  materialize({chain.y, gradient});

  EXPECT_FALSE(chain.keeps_product());
  EXPECT_FALSE(gradient.node()->operands()[0]->is_materialized());
}

TEST(KeptForHistory, PassesThatComeAllTheSameSeeTheSameValues) {
  const Chain chain;
  const Tensor first = grad(chain.y, chain.w);
  materialize({chain.y, first});

  for (int pass = 0; pass < 3; ++pass) {
    const Tensor again = grad(chain.y, chain.w);
    EXPECT_EQ(again.to_vector<float>(), first.to_vector<float>()) << pass;
    const Tensor second = grad(sum(again), chain.w);
    EXPECT_EQ(second.to_vector<float>(), grad(sum(first), chain.w).to_vector<float>()) << pass;
  }
}

}  // namespace
}  // namespace wick
