#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "step_times.h"
#include <fmt/format.h>
#include <unistd.h>

#include "wick/runtime/step_observer.h"

namespace wick::run {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Bench {
 public:
  Bench(Program& program, std::span<const Literal> parameters)
      : program_(program),
        parameters_(parameters) {}

  void run(const BenchOptions& options);

  void print() const { steps_.print(whole_); }

 private:
  void run_once(bool counts);
  static void show_progress(double done, size_t runs);

  Program& program_;
  std::span<const Literal> parameters_;
  StepTimes steps_;
  std::vector<double> whole_;  // seconds of each run
};

/// With new copies of the parameters each time, since donated ones are written over.
void Bench::run_once(bool counts) {
  const std::vector<runtime::Argument> arguments = Program::arguments(parameters_);
  const auto observer = [&](const runtime::Plan& plan, size_t step, double seconds) {
    if (counts) steps_.note(plan, step, seconds);
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

}  // namespace

void bench(Program& program, std::span<const Literal> parameters, const BenchOptions& options) {
  Bench bench(program, parameters);
  bench.run(options);
  bench.print();
}

}  // namespace wick::run
