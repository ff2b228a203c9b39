#pragma once

// Process-wide counters of the runtime.

#include <atomic>
#include <cstdint>

namespace wick::runtime {

struct RuntimeStats {
  int64_t plans_built = 0;
  int64_t plan_runs = 0;
  int64_t kernel_launches = 0;
  int64_t library_calls = 0;
  int64_t interpreted_steps = 0;
};

/// Counts since the process started.
RuntimeStats runtime_stats();

/// Where the runtime counts; read through runtime_stats().
struct RuntimeCounters {
  std::atomic<int64_t> plans_built{0};
  std::atomic<int64_t> plan_runs{0};
  std::atomic<int64_t> kernel_launches{0};
  std::atomic<int64_t> library_calls{0};
  std::atomic<int64_t> interpreted_steps{0};
};

RuntimeCounters& runtime_counters();

}  // namespace wick::runtime
