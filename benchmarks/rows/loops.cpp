// Loops of the host's: whole programs of many small steps, as they are written eagerly.

#include <memory>
#include <utility>
#include <vector>

#include "harness/row.h"
#include "rows/inputs.h"

namespace wick::bench {

namespace {

/// Rows [first, first + 1) of x.
Tensor component(const Tensor& x, int64_t first) {
  return slice(x, 0, first, first + 1);
}

Tensor lorenz(const Tensor& state) {
  const Tensor x = component(state, 0), y = component(state, 1), z = component(state, 2);
  return concat({10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.667 * z}, 0);
}

Row solver() {
  return {.name = "lorenz-50x1000",
          .what = "50 steps of Runge and Kutta, 1000 systems",
          .make = []() -> Workload {
            const Tensor start = uniform_input({3, 1000});
            return {[=] {
              Tensor state = start;
              for (int i = 0; i < 50; ++i) {
                const Tensor k1 = lorenz(state);
                const Tensor k2 = lorenz(state + 0.005 * k1);
                const Tensor k3 = lorenz(state + 0.005 * k2);
                const Tensor k4 = lorenz(state + 0.01 * k3);
                state = state + (0.01 / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
              }
              materialize(state);
            }};
          }};
}

Row random_walk() {
  return {.name = "random-walk-50x20000",
          .what = "largest values of 50 normal steps, 20000 paths",
          .make = []() -> Workload {
            return {[] {
              Tensor at = zeros({20000});
              Tensor largest = at;
              for (int i = 0; i < 50; ++i) {
                at = at + 0.01 * randn({20000});
                largest = maximum(largest, at);
              }
              materialize(mean(exp(at) * largest));
            }};
          }};
}

/// Attention of four heads over a cache that grows by a token a step; each token is asked for
/// before the next.
Row generation() {
  constexpr int64_t kWidth = 256;
  return {.name = "generate-64",
          .what = "64 tokens one by one, keys and values kept",
          .make = []() -> Workload {
            const Tensor projection = uniform_input({kWidth, 3 * kWidth});
            const Tensor embedding = uniform_input({1000, kWidth});
            const Tensor head = uniform_input({kWidth, 1000});
            return {[=] {
              const NoGradGuard no_grad;
              Tensor keys = zeros({4, 1, 64}), values = keys;
              Tensor x = component(embedding, 5);
              for (int i = 0; i < 64; ++i) {
                const Tensor all = matmul(x, projection);
                const auto part = [&](int64_t p) {
                  return slice(all, 1, kWidth * p, kWidth * (p + 1)).reshape({4, 1, 64});
                };
                keys = concat({keys, part(1)}, 1);
                values = concat({values, part(2)}, 1);
                const Tensor scores = matmul(part(0), permute(keys, {0, 2, 1})) * 0.125;
                const Tensor read = matmul(softmax(scores, -1), values).reshape({1, kWidth});
                const Tensor token = argmax(matmul(read, head), 1);
                x = take(embedding, token, 0);
                (void)token.item<int64_t>();
              }
            }};
          }};
}

/// Steps on batches of 64, of which loss and accuracy are asked.
Row epoch() {
  return {.name = "epoch-50-small",
          .what = "32-64-10, Adam, 50 batches of 64, loss and accuracy of each",
          .make = []() -> Workload {
            const auto net = std::make_shared<nn::Sequential>(
                nn::Linear(32, 64), nn::ReLU(), nn::Linear(64, 10));
            const auto adam = std::make_shared<optim::Adam>(net->parameters());
            const Tensor inputs = uniform_input({50, 64, 32});
            const Tensor labels = label_input(10, {50, 64});
            return {[=] {
              double correct = 0;
              for (int64_t i = 0; i < 50; ++i) {
                const Tensor label = labels[{i}];
                adam->zero_grad();
                const Tensor scores = (*net)(inputs[{i}]);
                const Tensor loss = nn::cross_entropy(scores, label);
                loss.backward();
                adam->step();
                correct += loss.item<float>();
                correct += static_cast<double>(
                    sum(eq(argmax(scores, 1), label).to(DType::i64)).item<int64_t>());
              }
            }};
          }};
}

Row convolution_f64() {
  return {
      .name = "conv-f64-8x32x28x28", .what = "32 windows of 3x3 in f64", .make = []() -> Workload {
        const Tensor x = uniform_input({8, 32, 28, 28}).to(DType::f64);
        const Tensor w = uniform_input({32, 32, 3, 3}).to(DType::f64);
        materialize(x, w);
        return {[=] { materialize(conv2d(x, w, {.padding = {1, 1}})); }};
      }};
}

}  // namespace

Family loop_rows() {
  return {"loops", {solver(), random_walk(), generation(), epoch(), convolution_f64()}};
}

}  // namespace wick::bench
