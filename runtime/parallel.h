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

/// So many floats of scratch that each of several threads has for its own, and what keeps them from
/// those of the next. A core that strides through its own has prefetchers that ask for what lies
/// many strides behind, and take it from the core that writes it: Winograd's convolution of
/// [64,16,32,32] with 16 channels took two threads that share no cache as long as one, 1.7 ms, and
/// 1.0 in this way; spaces of 64 KiB left 1.15.
constexpr int64_t spaced_scratch(int64_t floats, int64_t threads) {
  constexpr int64_t kSpace = 65536;
  return threads > 1 ? floats + kSpace : floats;
}

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
