#include "ledger.h"

#include <algorithm>
#include <utility>

namespace {

constexpr size_t kMostSamples = 4096;

/// The larger of both, in each respect.
Sample most(const Sample& a, const Sample& b) {
  return {a.seconds,
          std::max(a.in_use, b.in_use),
          std::max(a.reserved, b.reserved),
          std::max(a.fragmentation, b.fragmentation)};
}

}  // namespace

void Ledger::add(void* block, size_t bytes, const wick::runtime::AllocationTag& tag) {
  Entry entry{{tag.purpose, tag.op, tag.where}, bytes, {tag.contents.begin(), tag.contents.end()}};
  Holding& holding = owners_[entry.owner];
  holding.bytes += static_cast<int64_t>(bytes);
  ++holding.blocks;
  in_use_ += static_cast<int64_t>(bytes);
  ++allocations_;
  live_.insert_or_assign(block, std::move(entry));
}

size_t Ledger::remove(void* block) {
  const auto found = live_.find(block);
  const size_t bytes = found->second.bytes;
  Holding& holding = owners_[found->second.owner];
  holding.bytes -= static_cast<int64_t>(bytes);
  --holding.blocks;
  in_use_ -= static_cast<int64_t>(bytes);
  live_.erase(found);
  return bytes;
}

void Ledger::note(int64_t reserved, double fragmentation) {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  const Sample sample{elapsed.count(), in_use_, reserved, fragmentation};
  keep(sample);
  if (in_use_ > peak_.sample.in_use) take_peak(sample);
}

/// When there are too many samples, neighbours are merged and later ones cover twice as much.
void Ledger::keep(const Sample& sample) {
  if (covered_ > 0 && covered_ < per_sample_) {
    samples_.back() = most(samples_.back(), sample);
    ++covered_;
    return;
  }
  if (samples_.size() == kMostSamples) {
    for (size_t i = 0; i < kMostSamples / 2; ++i)
      samples_[i] = most(samples_[2 * i], samples_[2 * i + 1]);
    samples_.resize(kMostSamples / 2);
    per_sample_ *= 2;
  }
  samples_.push_back(sample);
  covered_ = 1;
}

void Ledger::take_peak(const Sample& sample) {
  peak_ = {.sample = sample, .owners = {}, .arena = {}, .arena_bytes = 0};
  for (const auto& [owner, holding] : owners_) {
    if (holding.blocks > 0) peak_.owners.emplace_back(owner, holding);
  }
  std::ranges::stable_sort(
      peak_.owners, std::ranges::greater{}, [](const auto& each) { return each.second.bytes; });
  for (const auto& [block, entry] : live_) {
    if (entry.arena.empty() || static_cast<int64_t>(entry.bytes) <= peak_.arena_bytes) continue;
    peak_.arena = entry.arena;
    peak_.arena_bytes = static_cast<int64_t>(entry.bytes);
  }
}
