// Random programs as users write them, with gradients of any order, assignments and values that are
// asked for anywhere: recorded for as long as they may be and compiled, and op by op in the
// interpreter. Both give the same values and the same errors.
//
// WICK_DIFF_PROGRAMS sets how many, WICK_DIFF_SEED the first seed.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "support/guarded_memory_manager.h"
#include "support/number_from.h"
#include "support/random_graph_generator.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/autograd/autograd.h"
#include "wick/autograd/checkpoint.h"
#include "wick/passes/options.h"
#include "wick/tensor/indexing.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/ops_sort.h"

namespace wick {
namespace {

using testing_support::Random;
using Values = std::vector<double>;

struct Outcome {
  std::vector<Values> values;
  std::vector<std::string> log;  // what was done, and errors
};

/// Its variables are matrices, vectors and numbers of one extent, all of which broadcast.
class RandomProgram {
 public:
  RandomProgram(uint64_t seed, bool eager)
      : random_(seed),
        eager_(eager),
        extent_(random_.pick(std::vector<int64_t>{2, 5, 17})) {}

  Outcome run() {
    for (const int ndim : {0, 1, 2, 2})
      make_leaf(ndim);
    for (int64_t steps = random_.between(10, 40); steps > 0; --steps) {
      try {
        step();
      } catch (const Error&) {
        log("an error");
      }
    }
    for (const Tensor& x : variables_)
      outcome_.values.push_back(x.to_vector<double>());
    for (const Tensor& leaf : leaves_) {
      if (leaf.grad().defined()) outcome_.values.push_back(leaf.grad().to_vector<double>());
    }
    return std::move(outcome_);
  }

 private:
  void log(std::string text) { outcome_.log.push_back(std::move(text)); }

  void make_leaf() { make_leaf(static_cast<int>(random_.below(3))); }

  void make_leaf(int ndim) {
    const Shape shapes[] = {{}, {extent_}, {extent_, extent_}};
    const Shape& shape = shapes[ndim];
    Values values(static_cast<size_t>(shape.numel()));
    for (double& value : values)
      value = random_.uniform(-1, 1);
    Tensor leaf = from_vector(values, shape);
    const bool requires_grad = random_.chance(0.7);
    leaf.requires_grad_(requires_grad);
    if (requires_grad) leaves_.push_back(leaf);
    keep("leaf", leaf);
  }

  /// One of so many dimensions, or of any; more likely a late one.
  size_t pick(int ndim = -1) {
    std::vector<size_t> fit;
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (ndim < 0 || variables_[i].ndim() == ndim) fit.push_back(i);
    }
    if (fit.empty()) {
      make_leaf(ndim);
      return latest_;
    }
    const size_t n = fit.size();
    return random_.chance(0.5) ? fit[n - 1 - random_.below(std::min<size_t>(n, 3))]
                               : fit[random_.below(n)];
  }

  Tensor any(int ndim = -1) { return variables_[pick(ndim)]; }

  void keep(const std::string& what, const Tensor& x) {
    log(fmt::format("{} -> {}", what, to_string(x.shape())));
    if (eager_) materialize(x);
    constexpr size_t kMostVariables = 12;
    latest_ = variables_.size();
    if (latest_ == kMostVariables) {
      latest_ = random_.below(kMostVariables);
      variables_[latest_] = x;
    } else {
      variables_.push_back(x);
    }
  }

  void step() {
    static const std::vector<void (RandomProgram::*)()> kSteps = {
        &RandomProgram::make_leaf,    &RandomProgram::unary,         &RandomProgram::unary,
        &RandomProgram::binary,       &RandomProgram::binary,        &RandomProgram::binary,
        &RandomProgram::product,      &RandomProgram::product,       &RandomProgram::reduction,
        &RandomProgram::reduction,    &RandomProgram::movement,      &RandomProgram::row_function,
        &RandomProgram::assignment,   &RandomProgram::update,        &RandomProgram::cut_history,
        &RandomProgram::checkpointed, &RandomProgram::gradients,     &RandomProgram::gradients,
        &RandomProgram::gradients,    &RandomProgram::backward_pass, &RandomProgram::leaf_gradient,
        &RandomProgram::ask,          &RandomProgram::forget,
    };
    (this->*random_.pick(kSteps))();
  }

  static Tensor function_of(size_t number, const Tensor& x) {
    switch (number) {
      case 0:
        return tanh(x);
      case 1:
        return sin(x);
      case 2:
        return exp(-x * x);
      case 3:
        return sigmoid(x);
      default:
        return x * x;
    }
  }

  void unary() {
    const Tensor x = any();
    keep("unary", function_of(random_.below(5), x));
  }

  Tensor combined() {
    const Tensor a = any();
    const Tensor b = any();
    switch (random_.below(3)) {
      case 0:
        return tanh(a + b);
      case 1:
        return tanh(a - b);
      default:
        return a * b;
    }
  }

  void binary() { keep("binary", combined()); }

  void product() {
    const Tensor a = any(2);
    const Tensor b = any(random_.chance(0.7) ? 2 : 1);
    keep("product", matmul(a, b) / static_cast<double>(extent_));
  }

  void reduction() {
    const Tensor x = any();
    if (x.ndim() == 0) return;
    const bool whole = random_.chance(0.3);
    const Axes axes = whole ? Axes{} : Axes{random_.between(0, x.ndim() - 1)};
    const bool keepdims = !whole && x.ndim() == 2 && random_.chance(0.3);
    const Tensor sums =
        random_.chance(0.5) ? mean(x, axes, keepdims) : logsumexp(x, axes, keepdims) * 0.2;
    keep("reduction", keepdims ? x - sums : sums);
  }

  void movement() {
    const Tensor x = any(2);
    const int64_t cut = random_.between(1, extent_ - 1);
    switch (random_.below(4)) {
      case 0:
        return keep("transpose", transpose(x, 0, 1));
      case 1:
        return keep("flip", flip(x, {random_.between(0, 1)}));
      case 2: {
        const Tensor other = any(2);
        return keep("concat",
                    concat({slice(x, 0, 0, cut, 1), slice(other, 0, cut, extent_, 1)}, 0));
      }
      default:
        return keep("roll", roll(x, {cut}, {1}));
    }
  }

  void row_function() {
    const Tensor x = any(2);
    const int axis = static_cast<int>(random_.below(2));
    switch (random_.below(3)) {
      case 0:
        return keep("softmax", softmax(x, axis));
      case 1:
        return keep("cumsum", cumsum(x, axis) * 0.2);
      default:
        return keep("log softmax", log_softmax(x, axis) * 0.2);
    }
  }

  void assignment() {
    Tensor x = any(2);
    const Tensor row = any(1);
    x[{random_.between(0, extent_ - 1)}] = row;
    keep("assignment", x);
  }

  void update() {
    const size_t at = pick();
    const Tensor by = any();
    Tensor& x = variables_[at];
    if (by.ndim() > x.ndim()) return;
    log("update");
    x *= 0.5;
    x += by;
    if (eager_) materialize(x);
  }

  void cut_history() {
    if (random_.chance(0.5)) return keep("detach", any().detach());
    const NoGradGuard guard;
    keep("no grad", combined());
  }

  void checkpointed() {
    const size_t number = random_.below(5);
    const auto f = [number](const Tensor& x) { return function_of(number, x * 0.7) * x; };
    keep("checkpoint", checkpoint(f, any()));
  }

  Tensor loss() {
    const Tensor x = any();
    return random_.chance(0.5) ? sum(x * x) : mean(sin(x));
  }

  void gradients() {
    const Tensor output = loss();
    std::vector<Tensor> inputs = {any()};
    if (random_.chance(0.5)) inputs.push_back(any());
    if (random_.chance(0.5) && !leaves_.empty()) inputs.push_back(random_.pick(leaves_));
    const bool retain_graph = random_.chance(0.85);
    const bool keeps_output = random_.chance(0.3);
    log("gradients");
    const Tensor outputs[] = {output};
    for (const Tensor& each : grad(outputs, inputs, {.retain_graph = retain_graph}))
      keep("gradient", tanh(each * 0.5));
    if (keeps_output) keep("output", output);
  }

  void backward_pass() {
    const bool retain_graph = random_.chance(0.5);
    const Tensor output = loss();
    log("backward");
    output.backward(retain_graph);
    if (!eager_) return;
    for (const Tensor& leaf : leaves_) {
      if (leaf.grad().defined()) materialize(leaf.grad());
    }
  }

  void leaf_gradient() {
    if (leaves_.empty()) return;
    Tensor leaf = random_.pick(leaves_);
    if (!leaf.grad().defined()) return;
    keep("leaf's gradient", tanh(leaf.grad()));
    if (random_.chance(0.3)) leaf.zero_grad();
  }

  void ask() {
    std::vector<Tensor> some;
    for (int64_t n = random_.between(1, 4); n > 0; --n)
      some.push_back(any());
    log("ask");
    materialize(some);
  }

  void forget() {
    if (variables_.size() < 3) return;
    log("forget");
    variables_.erase(variables_.begin() + static_cast<ptrdiff_t>(random_.below(variables_.size())));
  }

  Random random_;
  bool eager_;
  int64_t extent_;
  std::vector<Tensor> variables_;
  size_t latest_ = 0;           // of them
  std::vector<Tensor> leaves_;  // that require a gradient
  Outcome outcome_;
};

Outcome outcome_of(uint64_t seed, bool eager) {
  Options changed = options();
  if (eager) changed.backend = "interpreter";
  const ScopedOptions scope(changed);
  return RandomProgram(seed, eager).run();
}

/// The first place where the values differ, in words; empty where they do not.
std::string difference(const Outcome& actual, const Outcome& expected) {
  for (size_t i = 0; i < expected.values.size(); ++i) {
    for (size_t at = 0; at < expected.values[i].size(); ++at) {
      const double x = expected.values[i][at];
      const double y = actual.values[i][at];
      if (std::abs(x - y) <= 1e-7 * (1 + std::abs(x)) || (std::isnan(x) && std::isnan(y))) continue;
      return fmt::format("element {} of value {} is {}, expected {}", at, i, y, x);
    }
  }
  return "";
}

TEST(RandomPrograms, AgreeWithThoseRunOpByOp) {
  const GuardedMemoryScope guarded;
  const auto first = static_cast<uint64_t>(number_from("WICK_DIFF_SEED", 1));
  // Compilers of GPUs take their time.
  const auto count =
      static_cast<uint64_t>(number_from("WICK_DIFF_PROGRAMS", targets_gpu() ? 20 : 100));
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(fmt::format("WICK_DIFF_SEED={} WICK_DIFF_PROGRAMS=1", seed));
    const Outcome expected = outcome_of(seed, /*eager=*/true);
    const Outcome actual = outcome_of(seed, /*eager=*/false);
    ASSERT_EQ(actual.log, expected.log);
    ASSERT_EQ(actual.values.size(), expected.values.size());
    ASSERT_EQ(difference(actual, expected), "") << fmt::format("{}", fmt::join(actual.log, "\n"));
  }
}

TEST(RandomPrograms, RunOnSeveralThreadsAtOnce) {
  const auto first = static_cast<uint64_t>(number_from("WICK_DIFF_SEED", 1));
  const auto count =
      static_cast<uint64_t>(number_from("WICK_DIFF_PROGRAMS", targets_gpu() ? 8 : 40));
  constexpr int kThreads = 4;
  std::array<std::string, kThreads> problems;
  {
    std::vector<std::jthread> threads;
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (uint64_t seed = first + thread; seed < first + count; seed += kThreads) {
          const Outcome expected = outcome_of(seed, /*eager=*/true);
          const Outcome actual = outcome_of(seed, /*eager=*/false);
          std::string problem = actual.log == expected.log ? difference(actual, expected)
                                                           : std::string("other errors");
          if (!problem.empty()) problems[thread] += fmt::format("seed {}: {}\n", seed, problem);
        }
      });
    }
  }
  for (const std::string& problem : problems)
    EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace wick
