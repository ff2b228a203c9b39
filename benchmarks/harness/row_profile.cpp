#include "harness/row_profile.h"

#include <cstdio>
#include <vector>

#include "harness/turns.h"
#include "step_times.h"
#include <fmt/format.h>

#include "wick/runtime/profiler.h"
#include "wick/runtime/step_observer.h"

namespace wick::bench {

namespace {

constexpr int kWarmUps = 3;
constexpr int kTracedSteps = 3;
constexpr size_t kFewRuns = 3;
constexpr double kSeconds = 3;
constexpr size_t kMostSteps = 40;

}  // namespace

void profile_row(const Row& row, const std::string& trace_file) {
  fmt::print("{}: {}\n", row.name, row.what);
  std::fflush(stdout);
  const Workload workload = row.make();
  for (int i = 0; i < kWarmUps; ++i)
    workload.step();
  if (!trace_file.empty()) {
    start_profile(trace_file);
    for (int i = 0; i < kTracedSteps; ++i)
      workload.step();
    stop_profile();
    fmt::print("trace of {} steps: {}\n", kTracedSteps, trace_file);
  }
  run::StepTimes steps;
  const runtime::ScopedStepObserver scope([&](const runtime::Plan& plan,
                                              size_t step,
                                              double seconds) { steps.note(plan, step, seconds); });
  std::vector<double> runs;
  for (double spent = 0; runs.size() < kFewRuns || spent < kSeconds; spent += runs.back())
    runs.push_back(1e-3 * time_ms(workload.step));
  steps.print(runs, kMostSteps);
}

}  // namespace wick::bench
