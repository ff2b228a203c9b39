#include <string>
#include <thread>

#include "leaf.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using testing_support::leaf;
using Floats = std::vector<float>;

TEST(Backward, AccumulatesOverCalls) {
  Tensor x = leaf({1, 2});
  sum(x * 3).backward();
  sum(x * x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 7}));
}

TEST(Backward, AccumulatesOntoGradientsThatAreKnown) {
  Tensor x = leaf({1, 2});
  sum(x * 3).backward();
  materialize(x.grad());
  sum(x * x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 7}));
}

TEST(Backward, ZeroGradForgets) {
  Tensor x = leaf({1, 2});
  sum(x * 3).backward();
  x.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  sum(x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST(Backward, AddsUpOverUsesOfOneTensor) {
  Tensor x = leaf({2, 3});
  const Tensor y = x * x;
  sum(y * y + y * x + x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4 * 8 + 3 * 4 + 1, 4 * 27 + 3 * 9 + 1}));
}

TEST(Backward, OfALeaf) {
  Tensor x = scalar(3);
  x.requires_grad_();
  x.backward();

  EXPECT_EQ(x.grad().item<float>(), 1);
}

TEST(Backward, OfOneElement) {
  Tensor x = leaf({3});
  (x * x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6}));
}

TEST(Backward, RetainedHistoryServesAgain) {
  Tensor x = leaf({1, 2});
  const Tensor y = sum(x * x);
  y.backward(true);
  y.backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 8}));
}

TEST(Backward, RetainedHistoryMakesGradientsDifferentiable) {
  Tensor x = leaf({1, 2});
  sum(x * x * x).backward(true);
  EXPECT_TRUE(x.grad().requires_grad());
  const Tensor second = grad(sum(x.grad()), x);
  x.zero_grad();

  EXPECT_EQ(second.to_vector<float>(), (Floats{6, 12}));
}

TEST(Backward, OrdinaryGradientsKeepNoHistory) {
  Tensor x = leaf({1, 2});
  sum(x * x).backward();

  EXPECT_FALSE(x.grad().requires_grad());
}

TEST(Backward, WorksAfterValuesAreKnown) {
  Tensor x = leaf({1, 2});
  const Tensor y = exp(x);
  const Tensor loss = sum(y * y);
  materialize(y, loss);
  loss.backward();

  const Floats values = y.to_vector<float>();
  EXPECT_FLOAT_EQ(x.grad().to_vector<float>()[1], 2 * values[1] * values[1]);
}

TEST(Backward, GradientsArriveOnlyWhereTheyAreRequired) {
  Tensor x = leaf({1, 2});
  const Tensor fixed = tensor({3, 4});
  sum(x * fixed).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 4}));
  EXPECT_FALSE(fixed.grad().defined());
}

TEST(Backward, GradientOpsCarryTheForwardLine) {
  Tensor x = leaf({1, 2});
  const uint32_t line = __LINE__ + 1;
  const Tensor y = tanh(x);
  sum(y).backward();

  EXPECT_EQ(x.grad().node()->where().line(), line);
  EXPECT_TRUE(std::string(x.grad().node()->where().file_name()).ends_with("backward_test.cpp"));
}

TEST(Grad, UnusedInputsGetZeros) {
  const Tensor x = leaf({1, 2});
  const Tensor unused = leaf({1, 2, 3});
  const auto gradients = grad({sum(x * 2)}, {x, unused});

  EXPECT_EQ(gradients[0].to_vector<float>(), (Floats{2, 2}));
  EXPECT_EQ(gradients[1].to_vector<float>(), (Floats{0, 0, 0}));
}

TEST(Grad, DoesNotTouchTheLeaves) {
  const Tensor x = leaf({1, 2});
  (void)grad(sum(x * 2), x);

  EXPECT_FALSE(x.grad().defined());
}

TEST(Grad, OfTensorsBetween) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  const auto gradients = grad({sum(y * y)}, {y, x});

  EXPECT_EQ(gradients[0].to_vector<float>(), (Floats{6, 12}));
  EXPECT_EQ(gradients[1].to_vector<float>(), (Floats{18, 36}));
}

TEST(Grad, OfAnOutputForItself) {
  const Tensor x = leaf({2});
  const Tensor y = sum(x * x);

  EXPECT_EQ(grad(y, y).item<float>(), 1);
}

TEST(Grad, TakesCotangents) {
  const Tensor x = leaf({1, 2});
  const Tensor gradient = grad(x * x, x, {.cotangents = {tensor({10, 100})}});

  EXPECT_EQ(gradient.to_vector<float>(), (Floats{20, 400}));
}

TEST(Grad, SumsOverOutputs) {
  const Tensor x = leaf({1, 2});
  const auto gradients = grad({sum(x), sum(x * x)}, {x});

  EXPECT_EQ(gradients[0].to_vector<float>(), (Floats{3, 5}));
}

TEST(Grad, BuildsOnlyWhatLeadsToItsInputs) {
  const Tensor x = leaf({1, 2});
  const Tensor other = leaf({3, 4});
  bool asked = false;
  const auto f = custom_gradient([](std::span<const Tensor> inputs) { return inputs[0] * 2; },
                                 [&](std::span<const Tensor>, const Tensor&, const Tensor& g) {
                                   asked = true;
                                   return std::vector{g * 2};
                                 });
  const Tensor gradient = grad(sum(x * f({&other, 1})), x);

  EXPECT_EQ(gradient.to_vector<float>(), (Floats{6, 8}));
  EXPECT_FALSE(asked);
}

TEST(Grad, FreesItsHistoryWhenAsked) {
  const Tensor x = leaf({1, 2});
  const Tensor y = sum(x * x);
  const Tensor gradient = grad(y, x, {.retain_graph = false});

  EXPECT_FALSE(gradient.requires_grad());
  EXPECT_EQ(gradient.to_vector<float>(), (Floats{2, 4}));
  EXPECT_THROW((void)grad(y, x), Error);
}

TEST(NoGradGuard, KeepsNoHistory) {
  const Tensor x = leaf({1, 2});
  {
    const NoGradGuard outer;
    {
      const NoGradGuard inner;
    }
    EXPECT_FALSE((x * 2).requires_grad());
  }

  EXPECT_TRUE((x * 2).requires_grad());
}

TEST(NoGradGuard, HoldsForItsThreadOnly) {
  const Tensor x = leaf({1, 2});
  const NoGradGuard guard;
  bool elsewhere = false;
  std::thread([&] { elsewhere = (x * 2).requires_grad(); }).join();

  EXPECT_TRUE(elsewhere);
}

TEST(Detach, CutsHistory) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * x;
  sum(y.detach() * x).backward();

  EXPECT_FALSE(y.detach().requires_grad());
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 4}));
}

TEST(Detach, IsAnotherLeaf) {
  Tensor x = leaf({1, 2});
  Tensor copy = x.detach();
  copy.requires_grad_();
  sum(copy * 2).backward();

  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(copy.grad().to_vector<float>(), (Floats{2, 2}));
}

TEST(Detach, SharesTheBuffer) {
  const Tensor x = tensor({1, 2});

  EXPECT_EQ(x.detach().data<float>().data(), x.data<float>().data());
}

TEST(RequiresGrad, CanBeTakenBack) {
  Tensor x = leaf({1, 2});
  x.requires_grad_(false);

  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE((x * 2).requires_grad());
}

TEST(RequiresGrad, DoesNotMarkSharedConstants) {
  Tensor x = scalar(1.0);
  x.requires_grad_();

  EXPECT_FALSE(scalar(1.0).requires_grad());
  EXPECT_FALSE((tensor({1, 2}) * 1.0F).requires_grad());
}

TEST(RequiresGrad, OfPendingTensors) {
  Tensor x = tensor({1, 2}) * 3;
  x.requires_grad_();
  const Tensor y = sum(x * x);
  y.backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 12}));
}

TEST(PendingLosses, AreThoseStillHeld) {
  Tensor x = leaf({1, 2});
  (void)take_pending_losses();
  const Tensor held = sum(x * x);
  const Tensor known = sum(x * 3);
  held.backward();
  known.backward();
  sum(x * 2).backward();
  materialize(known);

  const std::vector<Tensor> losses = take_pending_losses();

  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].node(), held.node());
  EXPECT_TRUE(take_pending_losses().empty());
  materialize(x.grad());
}

TEST(PendingGradients, AreThoseOfEveryLeaf) {
  Tensor x = leaf({1, 2});
  Tensor y = leaf({3, 4});
  Tensor cleared = leaf({5, 6});
  (void)take_pending_gradients();
  sum(x * y * cleared).backward();
  cleared.zero_grad();
  materialize(y.grad());

  const std::vector<Tensor> gradients = take_pending_gradients();

  ASSERT_EQ(gradients.size(), 1U);
  EXPECT_EQ(gradients[0].node(), x.grad().node());
  EXPECT_TRUE(take_pending_gradients().empty());
}

TEST(PendingGradients, ListALeafAgainWhenItIsUsedAgain) {
  Tensor x = leaf({1, 2});
  sum(x * x).backward();
  (void)take_pending_gradients();
  sum(x * x).backward();

  EXPECT_EQ(take_pending_gradients().size(), 1U);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 8}));
}

TEST(Backward, RunsInThreadsOverSharedLeaves) {
  Tensor x = leaf({1, 2, 3});
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&x] {
      for (int i = 0; i < kRounds; ++i) {
        const Tensor loss = sum(x * x);
        loss.backward();
        if (i % 10 == 0) (void)loss.item<float>();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{400, 800, 1200}));
}

TEST(Backward, WalksWhileAnotherThreadMaterializes) {
  for (int round = 0; round < 20; ++round) {
    Tensor x = leaf({1, 2, 3});
    Tensor y = x;
    for (int i = 0; i < 200; ++i)
      y = y * 1.0F + x * 0.0F;
    const Tensor loss = sum(y);
    std::thread other([&] { materialize(y); });
    loss.backward();
    other.join();
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1, 1}));
  }
}

}  // namespace
}  // namespace wick
