#include "wick/runtime/parallel.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include <omp.h>
#include <strings.h>

#include "wick/passes/options.h"
#include "wick/runtime/shares.h"

namespace wick::runtime {
namespace {

/// Keeps the first exception of a region: none may cross its end.
class FirstException {
 public:
  void capture() noexcept {
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::current_exception();
  }

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace

int max_threads() {
  static const int cores = std::max(1, omp_get_num_procs());
  if (omp_in_parallel() != 0) return 1;
  const int wanted = options().num_threads;
  return wanted > 0 ? wanted : cores;
}

int64_t waking_factor() {
  static const int64_t factor = [] {
    const char* policy = std::getenv("OMP_WAIT_POLICY");
    const bool sleeps = policy != nullptr && strcasecmp(policy, "passive") == 0;
    return sleeps ? 64 : 1;  // measured: an empty region takes 50 to 90 us instead of 0.7
  }();
  return factor;
}

int threads_worth_waking(int64_t multiplications) {
  constexpr int64_t kWorthOne = 65536;
  const int64_t worth = multiplications / (kWorthOne * waking_factor());
  return static_cast<int>(std::clamp<int64_t>(worth, 1, max_threads()));
}

void parallel_for(int64_t count, const std::function<void(int64_t)>& body) {
  const int threads = static_cast<int>(std::min<int64_t>(count, max_threads()));
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  FirstException failure;
  Shares shares(count, threads);
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    for (int64_t i = shares.take(thread); i >= 0; i = shares.take(thread)) {
      try {
        body(i);
      } catch (...) {
        failure.capture();
      }
    }
  }
  failure.rethrow();
}

void parallel_ranges(int64_t extent,
                     int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body) {
  if (extent <= 0) return;
  constexpr int64_t kPiecesPerThread = 4;  // evens out cores that others slow down
  const int64_t most = std::max<int64_t>(1, extent / std::max<int64_t>(1, grain));
  const int threads = max_threads();
  const int64_t pieces = threads == 1 ? 1 : std::min<int64_t>(most, threads * kPiecesPerThread);
  parallel_for(pieces, [&](int64_t i) { body(extent * i / pieces, extent * (i + 1) / pieces); });
}

ThreadCountScope::ThreadCountScope(int count) : previous_(omp_get_max_threads()) {
  if (count != previous_) omp_set_num_threads(count);
}

ThreadCountScope::~ThreadCountScope() {
  if (omp_get_max_threads() != previous_) omp_set_num_threads(previous_);
}

ThreadCountScope no_more_threads_than_worth(int64_t multiplications) {
  return ThreadCountScope(std::min(omp_get_max_threads(), threads_worth_waking(multiplications)));
}

}  // namespace wick::runtime
