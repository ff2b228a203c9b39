#pragma once

// The one place that starts threads for compute: the OpenMP pool, which oneDNN shares.

#include <cstdint>
#include <functional>

namespace wick::runtime {

/// Threads that a run started here may use: Options::num_threads or all cores; 1 inside a parallel
/// region.
int max_threads();

/// Calls body(0) ... body(count - 1), in any order, on up to max_threads() threads. The first
/// exception is rethrown when all are done.
void parallel_for(int64_t count, const std::function<void(int64_t)>& body);

/// How many times as long as to threads that wait awake it takes to hand work to threads that wait
/// asleep, as OMP_WAIT_POLICY=passive says: 1 where they do not. By so much grows what kernels and
/// products have to do before they wake threads; other ops that are worth a thread take longer.
int64_t waking_factor();

/// As many threads as are worth waking for so many multiplications, or what takes as long.
int threads_worth_waking(int64_t multiplications);

/// Cuts [0, extent) into ranges of at least `grain` and calls body(begin, end) for each.
void parallel_ranges(int64_t extent,
                     int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body);

/// Makes oneDNN calls of this thread use `count` threads while it lives.
class ThreadCountScope {
 public:
  explicit ThreadCountScope(int count);
  ThreadCountScope(const ThreadCountScope&) = delete;
  ThreadCountScope& operator=(const ThreadCountScope&) = delete;
  ~ThreadCountScope();

 private:
  int previous_;
};

/// Keeps oneDNN calls of this thread from waking more threads than they are worth, or than they
/// would: oneDNN wakes all for the smallest.
ThreadCountScope no_more_threads_than_worth(int64_t multiplications);

}  // namespace wick::runtime
