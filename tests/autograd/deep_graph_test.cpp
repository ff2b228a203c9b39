#include "support/small_stack.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/passes/options.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using testing_support::run_on_small_stack;

constexpr int kDepth = 1'000'000;

TEST(DeepGraphs, DifferentiateAndEndWithoutRecursion) {
  run_on_small_stack([] {
    Tensor x = tensor({1, 2});
    x.requires_grad_();
    Tensor y = x;
    for (int i = 0; i < kDepth; ++i)
      y = y * 1.0F;
    sum(y).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 1}));
  });
}

TEST(DeepGraphs, EndWithTheirHistoryWithoutRecursion) {
  run_on_small_stack([] {
    Tensor x = tensor({1, 2});
    x.requires_grad_();
    Tensor y = x;
    for (int i = 0; i < kDepth; ++i)
      y = -y;
    EXPECT_TRUE(y.requires_grad());
  });
}

TEST(DeepGraphs, OfCustomGradientsEndWithoutRecursion) {
  const auto twice = custom_gradient(
      [](std::span<const Tensor> inputs) { return inputs[0] * 1.0F; },
      [](std::span<const Tensor>, const Tensor&, const Tensor& g) { return std::vector{g}; });
  run_on_small_stack([&] {
    Tensor x = tensor({1, 2});
    x.requires_grad_();
    Tensor y = x;
    for (int i = 0; i < kDepth / 10; ++i)
      y = twice({&y, 1});
    EXPECT_TRUE(y.requires_grad());
  });
}

TEST(WideGraphs, SumTheirCotangents) {
  Tensor x = scalar(1.0);
  x.requires_grad_();
  Tensor total = zeros({});
  constexpr int kUses = 100'000;
  for (int i = 0; i < kUses; ++i)
    total += x;
  total.backward();

  EXPECT_EQ(x.grad().item<float>(), kUses);
}

}  // namespace
}  // namespace wick
