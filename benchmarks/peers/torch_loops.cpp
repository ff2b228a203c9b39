// Rows that are loops of the host's.

#include <memory>

#include "peers/torch_workloads.h"
#include <torch/torch.h>

namespace torch_bench {

namespace {

using torch::Tensor;

Tensor lorenz(const Tensor& state) {
  const Tensor x = state.slice(0, 0, 1), y = state.slice(0, 1, 2), z = state.slice(0, 2, 3);
  return torch::cat({10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.667 * z}, 0);
}

std::function<void()> solver() {
  const Tensor start = uniform({3, 1000});
  return [=] {
    Tensor state = start;
    for (int i = 0; i < 50; ++i) {
      const Tensor k1 = lorenz(state);
      const Tensor k2 = lorenz(state + 0.005 * k1);
      const Tensor k3 = lorenz(state + 0.005 * k2);
      const Tensor k4 = lorenz(state + 0.01 * k3);
      state = state + (0.01 / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
  };
}

std::function<void()> random_walk() {
  return [] {
    Tensor at = torch::zeros({20000});
    Tensor largest = at;
    for (int i = 0; i < 50; ++i) {
      at = at + 0.01 * torch::randn({20000});
      largest = torch::maximum(largest, at);
    }
    (at.exp() * largest).mean();
  };
}

std::function<void()> generation() {
  const Tensor projection = uniform({256, 768});
  const Tensor embedding = uniform({1000, 256});
  const Tensor head = uniform({256, 1000});
  return [=] {
    const torch::NoGradGuard no_grad;
    Tensor keys = torch::zeros({4, 1, 64}), values = keys;
    Tensor x = embedding.slice(0, 5, 6);
    for (int i = 0; i < 64; ++i) {
      const Tensor all = torch::matmul(x, projection);
      const auto part = [&](int64_t p) {
        return all.slice(1, 256 * p, 256 * (p + 1)).reshape({4, 1, 64});
      };
      keys = torch::cat({keys, part(1)}, 1);
      values = torch::cat({values, part(2)}, 1);
      const Tensor scores = torch::matmul(part(0), keys.transpose(1, 2)) * 0.125;
      const Tensor read = torch::matmul(torch::softmax(scores, -1), values).reshape({1, 256});
      const Tensor token = torch::matmul(read, head).argmax(1);
      x = at::embedding(embedding, token);
      (void)token.item<int64_t>();
    }
  };
}

std::function<void()> epoch() {
  const torch::nn::Sequential net(
      torch::nn::Linear(32, 64), torch::nn::ReLU(), torch::nn::Linear(64, 10));
  const auto adam = std::make_shared<torch::optim::Adam>(net->parameters());
  const Tensor inputs = uniform({50, 64, 32});
  const Tensor labels = torch::randint(10, {50, 64}, torch::kLong);
  return [=] {
    double correct = 0;
    for (int64_t i = 0; i < 50; ++i) {
      adam->zero_grad();
      const Tensor scores = torch::nn::Sequential(net)->forward(inputs[i]);
      const Tensor loss = at::cross_entropy_loss(scores, labels[i]);
      loss.backward();
      adam->step();
      correct += loss.item<float>();
      correct += static_cast<double>((scores.argmax(1) == labels[i]).sum().item<int64_t>());
    }
  };
}

std::function<void()> convolution_f64() {
  const Tensor x = uniform({8, 32, 28, 28}).to(torch::kDouble);
  const Tensor w = uniform({32, 32, 3, 3}).to(torch::kDouble);
  return [=] {
    const torch::NoGradGuard no_grad;
    at::conv2d(x, w, {}, 1, 1);
  };
}

}  // namespace

void add_loops(Workloads& all) {
  all.push_back({"lorenz-50x1000", solver});
  all.push_back({"random-walk-50x20000", random_walk});
  all.push_back({"generate-64", generation});
  all.push_back({"epoch-50-small", epoch});
  all.push_back({"conv-f64-8x32x28x28", convolution_f64});
}

}  // namespace torch_bench
