#pragma once

// Computes samples ahead of the loop that reads them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "wick/nn/data/host_array.h"

namespace wick::data {

struct PrefetchOptions {
  int64_t size = 0;  // samples to compute
  int threads = 1;
  int depth = 2;  // samples computed and not read yet, at most
};

/// One pass over samples 0..size-1, in order, computed by native threads. An exception thrown for a
/// sample reaches the reader once, in place of that sample; reading may go on after it. Destroying
/// the prefetcher early waits for the samples being computed and drops the rest.
class Prefetcher {
 public:
  Prefetcher(const PrefetchOptions& options, std::function<Sample(int64_t)> get);
  Prefetcher(Prefetcher&&) noexcept;
  Prefetcher& operator=(Prefetcher&&) noexcept;
  ~Prefetcher();

  /// The next sample; empty after the last.
  std::optional<Sample> next();

  class Iterator;

  struct End {};

  /// Reads the first sample: a prefetcher is walked once.
  [[nodiscard]] Iterator begin();

  [[nodiscard]] End end() const { return {}; }

 private:
  class Workers;
  std::unique_ptr<Workers> workers_;
};

class Prefetcher::Iterator {
 public:
  using value_type = Sample;

  explicit Iterator(Prefetcher& prefetcher)
      : prefetcher_(&prefetcher),
        sample_(prefetcher.next()) {}

  const Sample& operator*() const { return *sample_; }

  Iterator& operator++() {
    sample_.reset();  // its memory can serve the next batch
    sample_ = prefetcher_->next();
    return *this;
  }

  friend bool operator==(const Iterator& iterator, End) { return !iterator.sample_.has_value(); }

 private:
  Prefetcher* prefetcher_;  // walked by one loop, which it outlives
  std::optional<Sample> sample_;
};

inline Prefetcher::Iterator Prefetcher::begin() {
  return Iterator(*this);
}

}  // namespace wick::data
