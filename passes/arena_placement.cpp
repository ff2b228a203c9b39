#include "wick/passes/arena_placement.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace wick::passes {

namespace {

constexpr size_t kMaxBlocksBySize = 1500;

/// The free part of an arena that grows at its end.
class FreeGaps {
 public:
  size_t take(size_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return take_at_end(bytes);
    const auto [size, offset] = *fit;
    erase(offset, size);
    if (size > bytes) insert(offset + bytes, size - bytes);
    return offset;
  }

  void give_back(size_t offset, size_t bytes) {
    const auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.end() && after->first == offset + bytes) {
      const size_t size = after->second;
      erase(offset + bytes, size);
      bytes += size;
    }
    const auto from = by_offset_.lower_bound(offset);
    if (from != by_offset_.begin()) {
      const auto [before, size] = *std::prev(from);
      if (before + size == offset) {
        erase(before, size);
        offset = before;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  [[nodiscard]] size_t end() const { return end_; }

 private:
  /// A gap that ends where the arena ends needs to grow by the difference only.
  size_t take_at_end(size_t bytes) {
    size_t offset = end_;
    if (!by_offset_.empty()) {
      const auto [last, size] = *std::prev(by_offset_.end());
      if (last + size == end_) {
        erase(last, size);
        offset = last;
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void insert(size_t offset, size_t size) {
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

  void erase(size_t offset, size_t size) {
    by_offset_.erase(offset);
    by_size_.erase({size, offset});
  }

  std::map<size_t, size_t> by_offset_;           // offset to size
  std::set<std::pair<size_t, size_t>> by_size_;  // size, offset
  size_t end_ = 0;
};

std::vector<size_t> iota(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

ArenaLayout place_through_time(const std::vector<ArenaBlock>& blocks) {
  std::vector<size_t> by_begin = iota(blocks.size());
  std::ranges::sort(by_begin, {}, [&](size_t i) {
    return std::tuple(blocks[i].begin, std::numeric_limits<size_t>::max() - blocks[i].bytes, i);
  });
  ArenaLayout layout{.offsets = std::vector<size_t>(blocks.size())};
  FreeGaps gaps;
  std::set<std::pair<int, size_t>> busy;  // end, block
  for (const size_t i : by_begin) {
    while (!busy.empty() && busy.begin()->first < blocks[i].begin) {
      const size_t over = busy.begin()->second;
      gaps.give_back(layout.offsets[over], align_up(blocks[over].bytes));
      busy.erase(busy.begin());
    }
    if (blocks[i].bytes == 0) continue;
    layout.offsets[i] = gaps.take(align_up(blocks[i].bytes));
    busy.emplace(blocks[i].end, i);
  }
  layout.bytes = gaps.end();
  return layout;
}

/// Each block in the best gap that those in front of it in the order leave.
ArenaLayout place_in_order(const std::vector<ArenaBlock>& blocks,
                           const std::vector<size_t>& order) {
  ArenaLayout layout{.offsets = std::vector<size_t>(blocks.size())};
  std::vector<size_t> placed;  // by offset
  for (const size_t i : order) {
    const ArenaBlock& block = blocks[i];
    if (block.bytes == 0) continue;
    std::vector<ByteRange> occupied;
    for (const size_t other : placed) {
      if (blocks[other].begin <= block.end && block.begin <= blocks[other].end) {
        occupied.emplace_back(layout.offsets[other],
                              layout.offsets[other] + align_up(blocks[other].bytes));
      }
    }
    const size_t offset = best_gap(occupied, align_up(block.bytes));
    layout.offsets[i] = offset;
    layout.bytes = std::max(layout.bytes, offset + align_up(block.bytes));
    placed.insert(std::ranges::upper_bound(
                      placed, offset, {}, [&](size_t other) { return layout.offsets[other]; }),
                  i);
  }
  return layout;
}

/// What no arena can be smaller than: the most bytes that are busy at one time.
size_t busy_bytes(const std::vector<ArenaBlock>& blocks) {
  std::map<int, size_t> changes;  // modulo 2^64
  for (const ArenaBlock& block : blocks) {
    changes[block.begin] += align_up(block.bytes);
    changes[block.end + 1] -= align_up(block.bytes);
  }
  size_t busy = 0;
  size_t most = 0;
  for (const auto& [time, change] : changes) {
    busy += change;
    most = std::max(most, busy);
  }
  return most;
}

/// The largest first, then as many other orders as time allows: the block that reaches the end of
/// the arena comes first in the next one.
ArenaLayout place_by_size(const std::vector<ArenaBlock>& blocks) {
  std::vector<size_t> order = iota(blocks.size());
  std::ranges::sort(order, {}, [&](size_t i) {
    return std::tuple(std::numeric_limits<size_t>::max() - blocks[i].bytes, blocks[i].begin, i);
  });
  constexpr size_t kMostTries = 100;
  constexpr size_t kPairs = 3'000'000;  // to compare: some milliseconds
  const size_t pairs = std::max<size_t>(1, blocks.size() * blocks.size());
  const size_t tries = std::min(kMostTries, kPairs / pairs);
  const size_t least = busy_bytes(blocks);
  ArenaLayout best = place_in_order(blocks, order);
  ArenaLayout last = best;
  for (size_t i = 0; i < tries && best.bytes > least; ++i) {
    const auto topmost = std::ranges::find_if(order, [&](size_t block) {
      return last.offsets[block] + align_up(blocks[block].bytes) == last.bytes;
    });
    if (topmost == order.begin()) break;
    std::rotate(order.begin(), topmost, topmost + 1);
    last = place_in_order(blocks, order);
    if (last.bytes < best.bytes) best = last;
  }
  return best;
}

}  // namespace

size_t best_gap(const std::vector<ByteRange>& occupied, size_t bytes) {
  std::optional<size_t> best;
  size_t best_size = std::numeric_limits<size_t>::max();
  size_t free_from = 0;
  for (const auto& [begin, end] : occupied) {
    if (begin > free_from && begin - free_from >= bytes && begin - free_from < best_size) {
      best = free_from;
      best_size = begin - free_from;
    }
    free_from = std::max(free_from, end);
  }
  return best.value_or(free_from);
}

ArenaLayout place_in_arena(const std::vector<ArenaBlock>& blocks) {
  ArenaLayout through_time = place_through_time(blocks);
  if (blocks.size() > kMaxBlocksBySize) return through_time;
  ArenaLayout by_size = place_by_size(blocks);
  return by_size.bytes < through_time.bytes ? by_size : through_time;
}

}  // namespace wick::passes
