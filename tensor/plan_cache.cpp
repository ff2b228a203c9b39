#include "wick/tensor/plan_cache.h"

#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "wick/passes/options.h"
#include "wick/tensor/materialize.h"

namespace wick::detail {

namespace {

struct Counters {
  std::atomic<int64_t> hits{0};
  std::atomic<int64_t> misses{0};
  std::atomic<int64_t> evictions{0};
};

Counters& counters() {
  static Counters all;
  return all;
}

}  // namespace

PlanCacheStats plan_cache_stats() {
  const Counters& all = counters();
  const int64_t hits = all.hits.load();
  const int64_t misses = all.misses.load();
  return {hits + misses, hits, misses, all.evictions.load()};
}

runtime::ProgramSummary last_program_summary() {
  const std::lock_guard guard(materialization_lock());
  const runtime::Executable* latest = PlanCache::instance().latest();
  return latest == nullptr ? runtime::ProgramSummary{} : latest->summary();
}

PlanCache& PlanCache::instance() {
  // Never destroyed: threads that still run at exit may materialize.
  static auto* const cache = new PlanCache;  // NOLINT(cppcoreguidelines-owning-memory)
  return *cache;
}

runtime::Executable* PlanCache::find(const Capture& capture) {
  const CompileOptions& options = wick::options();
  const auto [begin, end] = by_hash_.equal_range(capture.hash());
  for (auto it = begin; it != end; ++it) {
    const auto plan = it->second;
    if (plan->options != options) continue;
    if (!plan->key.matches(capture)) continue;
    plans_.splice(plans_.begin(), plans_, plan);
    ++counters().hits;
    return plan->executable.get();
  }
  return nullptr;
}

runtime::Executable* PlanCache::insert(const Capture& capture,
                                       std::unique_ptr<runtime::Executable> executable) {
  const CompileOptions& options = wick::options();
  plans_.push_front({capture.hash(), TraceKey(capture), options, std::move(executable)});
  by_hash_.emplace(capture.hash(), plans_.begin());
  ++counters().misses;
  if (plans_.size() > kCapacity) {
    const auto last = std::prev(plans_.end());
    const auto [begin, end] = by_hash_.equal_range(last->hash);
    for (auto it = begin; it != end; ++it) {
      if (it->second != last) continue;
      by_hash_.erase(it);
      break;
    }
    plans_.pop_back();
    ++counters().evictions;
  }
  return plans_.front().executable.get();
}

const runtime::Executable* PlanCache::latest() const {
  return plans_.empty() ? nullptr : plans_.front().executable.get();
}

std::string PlanCache::explain_miss(const Capture& capture) const {
  const TraceKey* nearest = nullptr;
  TraceKey::Nearness most;
  for (const Plan& plan : plans_) {
    if (plan.key.num_outputs() != capture.outputs().size()) continue;
    const TraceKey::Nearness nearness = plan.key.nearness(capture);
    if (nearest != nullptr && nearness <= most) continue;
    nearest = &plan.key;
    most = nearness;
  }
  if (nearest == nullptr) {
    const size_t count = capture.outputs().size();
    return fmt::format("the first program with {} result{}", count, count == 1 ? "" : "s");
  }
  return nearest->difference(capture);
}

void PlanCache::clear() {
  by_hash_.clear();
  plans_.clear();
}

}  // namespace wick::detail
