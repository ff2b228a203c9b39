#pragma once

// The bookkeeping: which op and source line owns which bytes, now and at the peak, and how memory
// went over time. Knows nothing of how blocks are found.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "wick/runtime/memory_manager.h"

/// Who asked for memory. Op and file are texts that live as long as the process.
struct Owner {
  std::string_view purpose;
  std::string_view op;
  wick::Location where;

  [[nodiscard]] auto key() const {
    return std::tuple(purpose, op, std::string_view(where.file), where.line, where.column);
  }

  friend bool operator<(const Owner& a, const Owner& b) { return a.key() < b.key(); }
};

struct Holding {
  int64_t bytes = 0;
  int64_t blocks = 0;
};

/// The most of a stretch of time.
struct Sample {
  double seconds = 0;
  int64_t in_use = 0;
  int64_t reserved = 0;
  double fragmentation = 0;  // 1 - largest free block / all free bytes
};

/// How things stood when most memory was in use.
struct Peak {
  Sample sample;
  std::vector<std::pair<Owner, Holding>> owners;  // largest first
  std::vector<wick::runtime::ArenaItem> arena;    // of the largest arena in use
  int64_t arena_bytes = 0;
};

class Ledger {
 public:
  void add(void* block, size_t bytes, const wick::runtime::AllocationTag& tag);
  /// Gives the bytes of the block.
  size_t remove(void* block);
  /// Notes the state after a change, with the peak when it is one.
  void note(int64_t reserved, double fragmentation);

  [[nodiscard]] int64_t in_use() const { return in_use_; }

  [[nodiscard]] int64_t allocations() const { return allocations_; }

  /// In order of time, a few thousand at most.
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

  [[nodiscard]] const Peak& peak() const { return peak_; }

 private:
  struct Entry {
    Owner owner;
    size_t bytes = 0;
    std::vector<wick::runtime::ArenaItem> arena;
  };

  void keep(const Sample& sample);
  void take_peak(const Sample& sample);

  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  std::unordered_map<void*, Entry> live_;
  std::map<Owner, Holding> owners_;
  int64_t in_use_ = 0;
  int64_t allocations_ = 0;
  std::vector<Sample> samples_;
  int64_t per_sample_ = 1;  // changes that one sample covers
  int64_t covered_ = 0;     // of the last sample
  Peak peak_;
};
