#include "wick/passes/result_loans.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace wick::passes {

namespace {

constexpr size_t kLeastBytes = 4096;  // less is not worth a search

class Lender {
 public:
  Lender(const std::vector<ArenaBlock>& blocks, const std::vector<ResultLoan>& loans)
      : blocks_(blocks),
        loans_(loans),
        tenants_(loans.size()),
        by_time_(loans.size()),
        home_(blocks.size(), kNone),
        is_tried_(blocks.size()) {
    std::iota(by_time_.begin(), by_time_.end(), size_t{0});
    std::ranges::sort(by_time_, {}, [&](size_t loan) {
      return std::tuple(loans[loan].free_before, loans[loan].bytes);
    });
    count_bytes_in_use();
  }

  std::vector<int> lend() {
    while (lower(peak())) {
    }
    return home_;
  }

 private:
  static constexpr int kNone = -1;

  void count_bytes_in_use() {
    int last = 0;
    for (const ArenaBlock& block : blocks_)
      last = std::max(last, block.end);
    in_use_.resize(static_cast<size_t>(last) + 1);
    for (const ArenaBlock& block : blocks_)
      add_bytes(block, static_cast<int64_t>(block.bytes));
  }

  void add_bytes(const ArenaBlock& block, int64_t bytes) {
    for (int i = block.begin; i <= block.end; ++i)
      in_use_[static_cast<size_t>(i)] += bytes;
  }

  [[nodiscard]] size_t peak() const {
    return static_cast<size_t>(std::ranges::max_element(in_use_) - in_use_.begin());
  }

  /// Moves blocks that are there at the position, until others are as high.
  bool lower(size_t position) {
    bool is_lower = false;
    for (const size_t i : candidates_at(static_cast<int>(position))) {
      if (peak() != position) break;
      is_lower |= move(i);
    }
    return is_lower;
  }

  /// The largest first; of equal ones the first to end, which has the most buffers to choose from.
  [[nodiscard]] std::vector<size_t> candidates_at(int position) const {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const ArenaBlock& block = blocks_[i];
      const bool is_there = block.begin <= position && position <= block.end;
      if (is_there && block.bytes >= kLeastBytes && !is_tried_[i]) candidates.push_back(i);
    }
    std::ranges::stable_sort(candidates, [&](size_t a, size_t b) {
      return std::tuple(blocks_[b].bytes, blocks_[a].end) <
             std::tuple(blocks_[a].bytes, blocks_[b].end);
    });
    return candidates;
  }

  /// To the buffer that is needed first of those that have room for as long as it takes.
  bool move(size_t i) {
    const ArenaBlock& block = blocks_[i];
    is_tried_[i] = true;  // what has no room now has none later
    const auto first = std::ranges::upper_bound(
        by_time_, block.end, {}, [&](size_t loan) { return loans_[loan].free_before; });
    for (auto it = first; it != by_time_.end(); ++it) {
      if (loans_[*it].bytes < block.bytes) continue;
      const bool is_free = std::ranges::none_of(tenants_[*it], [&](const ArenaBlock* other) {
        return other->begin <= block.end && block.begin <= other->end;
      });
      if (!is_free) continue;
      tenants_[*it].push_back(&block);
      home_[i] = static_cast<int>(*it);
      add_bytes(block, -static_cast<int64_t>(block.bytes));
      return true;
    }
    return false;
  }

  const std::vector<ArenaBlock>& blocks_;
  const std::vector<ResultLoan>& loans_;
  std::vector<std::vector<const ArenaBlock*>> tenants_;  // by loan
  std::vector<size_t> by_time_;                          // loans
  std::vector<int> home_;                                // by block: a loan
  std::vector<bool> is_tried_;
  std::vector<int64_t> in_use_;  // by position
};

}  // namespace

std::vector<int> lend_results(const std::vector<ArenaBlock>& blocks,
                              const std::vector<ResultLoan>& loans) {
  if (blocks.empty() || loans.empty()) return std::vector<int>(blocks.size(), -1);
  return Lender(blocks, loans).lend();
}

}  // namespace wick::passes
