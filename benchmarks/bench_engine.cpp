// How close plain code comes to what the machine can do: each engine row has a floor row measured
// in the same run, so that ratios are meaningful on a noisy machine.

#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "wick/wick.h"

namespace {

using wick::Tensor;

constexpr int64_t kMebi = 1 << 20;

Tensor uniform(wick::Shape shape) {
  Tensor t = wick::rand(std::move(shape)) * 2 - 1;
  wick::materialize(t);
  return t;
}

// Bytes that a perfectly fused program moves, as a rate.
void count_bytes(benchmark::State& state, int64_t bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
}

void copy_floor(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(16 * kMebi) * sizeof(float);
  std::vector<float> from(16 * kMebi, 1.0F);
  std::vector<float> to(16 * kMebi, 0.0F);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  count_bytes(state, static_cast<int64_t>(2 * bytes));
}

void chain(benchmark::State& state) {
  const Tensor a = uniform({16 * kMebi});
  const Tensor b = uniform({16 * kMebi});
  const Tensor c = uniform({16 * kMebi});
  for (auto _ : state) {
    wick::materialize(wick::tanh(a * b + c) * wick::sigmoid(a - c) + 0.5F * b);
  }
  count_bytes(state, 4 * 16 * kMebi * 4);
}

void softmax(benchmark::State& state) {
  const Tensor x = uniform({4096, 4096});
  for (auto _ : state) {
    const Tensor e = wick::exp(x - wick::max(x, {-1}, true));
    wick::materialize(e / wick::sum(e, {-1}, true));
  }
  count_bytes(state, 2 * 16 * kMebi * 4);
}

void sum(benchmark::State& state, const wick::Axes& axes) {
  const Tensor x = uniform({8192, 8192});
  for (auto _ : state) {
    wick::materialize(x.sum(axes));
  }
  count_bytes(state, 64 * kMebi * 4);
}

void matmul(benchmark::State& state) {
  const Tensor a = uniform({2048, 2048});
  const Tensor b = uniform({2048, 2048});
  for (auto _ : state) {
    wick::materialize(wick::matmul(a, b));
  }
  state.counters["GFLOP/s"] = benchmark::Counter(2.0 * 2048 * 2048 * 2048 * 1e-9,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// Recording, keying and replaying cached plans: 1000 dependent adds of 16 elements.
void small_adds(benchmark::State& state) {
  const Tensor c = uniform({16});
  Tensor y = uniform({16});
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i)
      y += c;
    wick::materialize(y);
  }
  state.counters["time/op"] = benchmark::Counter(
      1000, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void mlp_step(benchmark::State& state) {
  wick::nn::Sequential model(wick::nn::Linear(784, 1024),
                             wick::nn::ReLU(),
                             wick::nn::Linear(1024, 1024),
                             wick::nn::ReLU(),
                             wick::nn::Linear(1024, 10));
  wick::optim::SGD optimizer(model.parameters(), {.lr = 0.01});
  const Tensor x = uniform({256, 784});
  const Tensor y = wick::randint(0, 10, {256});
  wick::materialize(y);
  for (auto _ : state) {
    optimizer.zero_grad();
    wick::nn::cross_entropy(model(x), y).backward();
    optimizer.step();
  }
}

BENCHMARK(copy_floor)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(chain)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(softmax)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sum, all, wick::Axes{})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sum, axis0, wick::Axes{0})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sum, axis1, wick::Axes{1})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(matmul)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(small_adds)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(mlp_step)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
