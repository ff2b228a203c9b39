#include "wick/autograd/hooks.h"

#include "leaf.h"
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/ir/error.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using testing_support::leaf;
using Floats = std::vector<float>;

TEST(Hooks, SeeTheWholeGradientOnce) {
  Tensor x = leaf({1, 2});
  const Tensor h = x * 3;
  std::vector<Tensor> seen;
  register_hook(h, [&](const Tensor& gradient) {
    seen.push_back(gradient);
    return Tensor();
  });
  (sum(h) + sum(h * h)).backward();

  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].to_vector<float>(), (Floats{7, 13}));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{21, 39}));
}

TEST(Hooks, ReplaceGradientsInOrder) {
  Tensor x = leaf({1, 2});
  register_hook(x, [](const Tensor& gradient) { return gradient + 1; });
  register_hook(x, [](const Tensor& gradient) { return gradient * 10; });
  sum(x).backward();

  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{20, 20}));
  EXPECT_EQ(grad(sum(x * 2), x).to_vector<float>(), (Floats{30, 30}));
}

TEST(Hooks, AreCalledUntilRemoved) {
  Tensor x = leaf({1});
  int calls = 0;
  HookHandle first = register_hook(x, [&](const Tensor&) { return ++calls, Tensor(); });
  register_hook(x, [](const Tensor& gradient) { return gradient * 5; });
  sum(x).backward();
  first.remove();
  first.remove();
  sum(x).backward();

  EXPECT_EQ(calls, 1);
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{10}));
}

TEST(Hooks, OfTensorsOffTheWayAreNotCalled) {
  const Tensor x = leaf({1});
  const Tensor y = leaf({2});
  const Tensor h = y * y;
  bool called = false;
  register_hook(h, [&](const Tensor&) { return called = true, Tensor(); });

  EXPECT_EQ(grad(sum(x * h), x).to_vector<float>(), (Floats{4}));
  EXPECT_FALSE(called);
}

TEST(Hooks, MayGiveUpTheirTensors) {
  std::weak_ptr<int> held;
  {
    Tensor x = leaf({1});
    auto token = std::make_shared<int>(1);
    held = token;
    register_hook(x, [token](const Tensor&) { return Tensor(); });
  }

  EXPECT_TRUE(held.expired());
}

TEST(Hooks, AreDifferentiated) {
  const Tensor x = leaf({3});
  register_hook(x, [&](const Tensor& gradient) { return gradient * x; });
  const Tensor first = grad(sum(x * x), x);  // 2 x^2

  EXPECT_EQ(first.to_vector<float>(), (Floats{18}));
}

}  // namespace
}  // namespace wick
