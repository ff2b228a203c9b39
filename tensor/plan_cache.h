#pragma once

// Compiled programs by trace, least recently used ones dropped. Internal; used under the
// materialization lock, but for the statistics.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "wick/passes/options.h"
#include "wick/runtime/backend.h"
#include "wick/tensor/trace_key.h"

namespace wick::detail {

struct PlanCacheStats {
  int64_t captures = 0;  // programs run
  int64_t hits = 0;      // of these: found here
  int64_t misses = 0;    // compiled
  int64_t evictions = 0;
};

/// Of this process so far. Safe from any thread.
PlanCacheStats plan_cache_stats();

/// What became of the program that ran last; all zero before the first.
runtime::ProgramSummary last_program_summary();

class PlanCache {
 public:
  static constexpr size_t kCapacity = 512;

  static PlanCache& instance();

  /// The program compiled for an equal trace under the switches in force; null when there is none.
  runtime::Executable* find(const Capture& capture);
  runtime::Executable* insert(const Capture& capture,
                              std::unique_ptr<runtime::Executable> executable);
  /// What makes this capture new: its first difference from the nearest trace, the one with as many
  /// outputs and the longest common beginning.
  [[nodiscard]] std::string explain_miss(const Capture& capture) const;
  /// The plan found or inserted last; null when there is none.
  [[nodiscard]] const runtime::Executable* latest() const;
  void clear();

 private:
  PlanCache() = default;

  struct Plan {
    Hash128 hash;
    TraceKey key;
    CompileOptions options;
    std::unique_ptr<runtime::Executable> executable;
  };

  std::list<Plan> plans_;  // most recently used first
  std::unordered_multimap<Hash128, std::list<Plan>::iterator, HashOfHash128> by_hash_;
};

}  // namespace wick::detail
