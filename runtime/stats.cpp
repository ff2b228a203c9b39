#include "wick/runtime/stats.h"

namespace wick::runtime {

RuntimeCounters& runtime_counters() {
  static RuntimeCounters counters;
  return counters;
}

RuntimeStats runtime_stats() {
  const RuntimeCounters& counters = runtime_counters();
  return {.plans_built = counters.plans_built.load(std::memory_order_relaxed),
          .plan_runs = counters.plan_runs.load(std::memory_order_relaxed),
          .kernel_launches = counters.kernel_launches.load(std::memory_order_relaxed),
          .library_calls = counters.library_calls.load(std::memory_order_relaxed),
          .interpreted_steps = counters.interpreted_steps.load(std::memory_order_relaxed)};
}

}  // namespace wick::runtime
