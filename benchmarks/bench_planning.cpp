// What training steps of deep nets with tiny layers cost: recorded and replayed, and planned anew.

#include <cstdint>
#include <mutex>
#include <vector>

#include <benchmark/benchmark.h>

#include "wick/tensor/materialize.h"
#include "wick/tensor/plan_cache.h"
#include "wick/wick.h"

namespace {

using wick::Tensor;

Tensor known(wick::Shape shape) {
  Tensor t = wick::rand(std::move(shape));
  wick::materialize(t);
  return t;
}

void show_time_per_op(benchmark::State& state, double ops) {
  state.counters["time/op"] = benchmark::Counter(
      ops, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

wick::nn::Sequential deep_net(int layers) {
  wick::nn::Sequential model;
  for (int i = 0; i < layers; ++i) {
    model.append(wick::nn::Linear(16, 16));
    model.append(wick::nn::Tanh());
  }
  return model;
}

/// A training step of a deep, narrow net: its products take next to no time.
class DeepStep {
 public:
  explicit DeepStep(int layers)
      : model_(deep_net(layers)),
        optimizer_(model_.parameters(), {.lr = 1e-3}) {}

  int64_t operator()() {
    optimizer_.zero_grad();
    const Tensor error = model_(x_) - 1;
    (error * error).mean().backward();
    const int64_t ops = wick::detail::num_pending_nodes();
    optimizer_.step();
    return ops;
  }

 private:
  wick::nn::Sequential model_;
  wick::optim::SGD optimizer_;
  Tensor x_ = known({8, 16});
};

// Recorded, keyed and replayed, with the gradients' recording.
void deep_step(benchmark::State& state) {
  DeepStep step(static_cast<int>(state.range(0)));
  int64_t ops = step();
  for (auto _ : state)
    ops = step();
  show_time_per_op(state, static_cast<double>(ops));
}

// From the recorded graph to a plan; all kernels are known but in the first iteration.
void plan_deep_step(benchmark::State& state) {
  DeepStep step(static_cast<int>(state.range(0)));
  int64_t ops = step();
  for (auto _ : state) {
    state.PauseTiming();
    {
      const std::lock_guard guard(wick::detail::materialization_lock());
      wick::detail::PlanCache::instance().clear();
    }
    state.ResumeTiming();
    ops = step();
  }
  show_time_per_op(state, static_cast<double>(ops));
}

BENCHMARK(deep_step)->Arg(4)->Arg(64)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(plan_deep_step)
    ->RangeMultiplier(4)
    ->Range(4, 1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
