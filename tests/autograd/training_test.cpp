#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

TEST(Training, LinearRegressionConverges) {
  manual_seed(7);
  const Tensor x = randn({256, 3});
  const Tensor truth = tensor({2, -3, 0.5F}).reshape({3, 1});
  const Tensor y = matmul(x, truth) + 0.25F;
  materialize(x, y);
  Tensor w = zeros({3, 1});
  Tensor b = zeros({1});
  float loss = 0;
  for (int step = 0; step < 200; ++step) {
    w = w.detach();
    b = b.detach();
    w.requires_grad_();
    b.requires_grad_();
    const Tensor error = mean(square(matmul(x, w) + b - y));
    error.backward();
    const NoGradGuard guard;
    w = w - w.grad() * 0.1F;
    b = b - b.grad() * 0.1F;
    materialize(w, b, error);
    loss = error.item<float>();
  }

  const std::vector<float> found = w.to_vector<float>();
  EXPECT_LT(loss, 1e-8F);
  EXPECT_NEAR(found[0], 2, 1e-3);
  EXPECT_NEAR(found[1], -3, 1e-3);
  EXPECT_NEAR(found[2], 0.5, 1e-3);
  EXPECT_NEAR(b.to_vector<float>()[0], 0.25, 1e-3);
}

/// y = x w.T through two layers, classified: the loss falls and labels are learned.
TEST(Training, ASmallNetworkLearnsXor) {
  manual_seed(3);
  const Tensor x = tensor({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  const Tensor y = tensor({0, 1, 1, 0}).reshape({4, 1});
  std::vector<Tensor> weights = {randn({2, 16}), zeros({16}), randn({16, 1}) * 0.3F, zeros({1})};
  float loss = 0;
  for (int step = 0; step < 500; ++step) {
    for (Tensor& w : weights) {
      w = w.detach();
      w.requires_grad_();
    }
    const Tensor hidden = tanh(matmul(x, weights[0]) + weights[1]);
    const Tensor error = mean(square(sigmoid(matmul(hidden, weights[2]) + weights[3]) - y));
    const std::vector<Tensor> gradients = grad({&error, 1}, weights, {.retain_graph = false});
    const NoGradGuard guard;
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = weights[i] - gradients[i] * 2.0F;
    std::vector<Tensor> all = weights;
    all.push_back(error);
    materialize(all);
    loss = error.item<float>();
  }

  EXPECT_LT(loss, 0.01F);
}

}  // namespace
}  // namespace wick
