// A gated residual block with a layer norm and a softmax, as a transformer has them. Prints how
// many kernels a run takes, how long, and a checksum.

#include <chrono>
#include <cstring>
#include <iostream>

#include <wick/wick.h>

#include "wick/runtime/stats.h"

using wick::Tensor;

namespace {

Tensor layer_norm(const Tensor& x) {
  const Tensor centred = x - x.mean({-1}, true);
  const Tensor variance = (centred * centred).mean({-1}, true);
  return centred * rsqrt(variance + 1e-5f);
}

/// x, gate: f32[rows, columns]; bias, scale: f32[columns].
Tensor block(const Tensor& x, const Tensor& gate, const Tensor& bias, const Tensor& scale) {
  const Tensor h = layer_norm(x) * (1 + 0.1f * scale) + bias * 0.5f;
  const Tensor g = sigmoid(gate) * gelu(h) + (1 - sigmoid(gate)) * h;
  return softmax(g * 0.125f, -1) + x * 0.01f + tanh(gate) * scale - bias * x;
}

}  // namespace

int main(int argc, char** argv) {
  wick::manual_seed(1);
  const Tensor x = wick::randn({1024, 1024});
  const Tensor gate = wick::randn({1024, 1024});
  const Tensor bias = wick::randn({1024});
  const Tensor scale = wick::randn({1024});
  wick::materialize({x, gate, bias, scale});
  if (argc > 1 && std::strcmp(argv[1], "--explain") == 0) {
    std::cout << wick::explain(block(x, gate, bias, scale)) << "\n";
    return 0;
  }
  constexpr int kRuns = 20;
  double sum = block(x, gate, bias, scale).sum().item<float>();  // compiles
  const int64_t before = wick::runtime::runtime_stats().kernel_launches;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i)
    sum = block(x, gate, bias, scale).sum().item<float>();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const int64_t launches = wick::runtime::runtime_stats().kernel_launches - before;
  std::cout << launches / kRuns << " kernels, " << took.count() / kRuns << " ms, sum " << sum
            << "\n";
}
