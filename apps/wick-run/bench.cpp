#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "step_cost.h"
#include <fmt/format.h>
#include <unistd.h>

#include "wick/runtime/step_observer.h"

namespace wick::run {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds, one entry a run.
using Samples = std::vector<double>;

double median(Samples samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

struct StepSamples {
  std::string what;  // name, kind and place
  int64_t bytes = 0;
  std::optional<int64_t> operations;
  Samples seconds;
};

class Bench {
 public:
  Bench(Program& program, std::span<const Literal> parameters)
      : program_(program),
        parameters_(parameters) {}

  void run(const BenchOptions& options);
  void print() const;

 private:
  void run_once(bool counts);
  void note(const runtime::Plan& plan, size_t step, double seconds);
  static void show_progress(double done, size_t runs);
  void print_step(size_t number, const StepSamples& step, double total) const;

  Program& program_;
  std::span<const Literal> parameters_;
  std::vector<StepSamples> steps_;
  Samples whole_;
};

void Bench::note(const runtime::Plan& plan, size_t number, double seconds) {
  if (steps_.size() <= number) steps_.resize(number + 1);
  StepSamples& samples = steps_[number];
  if (samples.seconds.empty()) {
    const runtime::Step& step = plan.steps[number];
    samples.what = fmt::format("{} ({})", step.name, kind_of(step));
    if (step.where.is_known()) samples.what += "  " + to_string(step.where);
    samples.bytes = bytes_moved(plan, step);
    samples.operations = operations(step);
  }
  samples.seconds.push_back(seconds);
}

/// With new copies of the parameters each time, since donated ones are written over.
void Bench::run_once(bool counts) {
  const std::vector<runtime::Argument> arguments = Program::arguments(parameters_);
  const auto observer = [&](const runtime::Plan& plan, size_t step, double seconds) {
    if (counts) note(plan, step, seconds);
  };
  const runtime::ScopedStepObserver scope(observer);
  const auto start = Clock::now();
  program_.run_on(arguments);
  if (counts) whole_.push_back(seconds_since(start));
}

void Bench::show_progress(double done, size_t runs) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{:3.0f} %  {} runs", 100 * std::min(done, 1.0), runs);
  if (done >= 1) fmt::print(stderr, "\r\033[K");
}

void Bench::run(const BenchOptions& options) {
  run_once(false);
  const auto start = Clock::now();
  auto shown = start;
  for (double done = 0; done < 1;) {
    run_once(true);
    done = options.repeat > 0 ? static_cast<double>(whole_.size()) / options.repeat
                              : seconds_since(start) / options.seconds;
    if (done < 1 && seconds_since(shown) < 0.1) continue;
    shown = Clock::now();
    show_progress(done, whole_.size());
  }
}

void Bench::print_step(size_t number, const StepSamples& step, double total) const {
  const double seconds = median(step.seconds);
  const std::string flops =
      step.operations
          ? fmt::format("{:.1f}", static_cast<double>(*step.operations) / seconds * 1e-9)
          : "-";
  fmt::print("{:>5} {:>10.4f} {:>10.4f} {:>6.1f} % {:>8.2f} {:>8}  {}\n",
             number,
             seconds * 1e3,
             *std::ranges::min_element(step.seconds) * 1e3,
             100 * seconds / total,
             static_cast<double>(step.bytes) / seconds * 1e-9,
             flops,
             step.what);
}

void Bench::print() const {
  std::vector<size_t> order;
  double total = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    order.push_back(s);
    total += median(steps_[s].seconds);
  }
  std::ranges::stable_sort(
      order, std::greater<>(), [&](size_t s) { return median(steps_[s].seconds); });
  if (!order.empty()) fmt::print(" step  median ms     min ms    share     GB/s  GFLOP/s  what\n");
  for (const size_t s : order)
    print_step(s, steps_[s], total);
  fmt::print("whole {:>10.4f} {:>10.4f}  {} runs, {:.4f} ms outside the steps\n",
             median(whole_) * 1e3,
             *std::ranges::min_element(whole_) * 1e3,
             whole_.size(),
             std::max(0.0, median(whole_) - total) * 1e3);
}

}  // namespace

void bench(Program& program, std::span<const Literal> parameters, const BenchOptions& options) {
  Bench bench(program, parameters);
  bench.run(options);
  bench.print();
}

}  // namespace wick::run
