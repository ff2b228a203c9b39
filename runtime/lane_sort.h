#pragma once

// What stands in a window of a sorted lane. Where few of the sorted positions are wanted, most
// elements are sorted out before. Internal to runtime/.

#include <vector>

#include "wick/runtime/sort_keys.h"

namespace wick::runtime {

template <typename T>
struct Lane {
  const T* first;
  int64_t stride;

  [[nodiscard]] T operator[](size_t i) const { return first[static_cast<int64_t>(i) * stride]; }
};

/// How elements become keys of type K: less a base, so that 64 bits may fit into 32, and turned
/// round where the order falls.
template <typename T, typename K>
struct KeyOrder {
  Key<T> base = 0;
  bool descending = false;

  [[nodiscard]] K operator()(T element) const {
    const K key = static_cast<K>(key_of(element) - base);
    return descending ? ~key : key;
  }
};

/// Sorts lanes of one length. Entries are always in the order of their positions until they are
/// sorted, so that sorting can be stable.
template <typename T, typename K>
class LaneSort {
 public:
  using Entry = SortEntry<K>;

  LaneSort(size_t extent, Window wanted)
      : extent_(extent),
        wanted_(wanted),
        entries_(memory_.first(most_entries())),
        keys_(keeps_first() ? most_kept() : 0) {}

  /// Calls emit(position) for what stands in the window, in order.
  template <typename Emit>
  void operator()(const Lane<T>& lane, const KeyOrder<T, K>& order, Emit emit) {
    order_ = order;
    if (keeps_first() && wanted_.end <= kFewKept) {
      insert_first(lane);
      emit_window<K>(entries_.first(size_), wanted_, emit);
      return;
    }
    if constexpr (sizeof(K) == 8) {
      if (takes_keys()) {
        const auto key_at = [&](uint32_t i) { return order(lane[i]); };
        sort_.of_keys(extent_, key_at, wanted_, emit);
        return;
      }
    }
    Window window = wanted_;
    if (keeps_first()) {
      keep_first(lane);
    } else {
      read_first(lane, extent_);
      window = narrow();
    }
    sort_(entries_.first(size_), window, emit);
  }

 private:
  /// Elements that a look passes by at once where none of them is among the first.
  static constexpr size_t kBlock = 32;
  /// So few are kept sorted. One pass that keeps more beats counting digits where they are a small
  /// part of the lane.
  static constexpr size_t kFewKept = 16;
  static constexpr size_t kKeptPart = 64;
  /// So few are sorted as they are.
  static constexpr size_t kFew = 128;

  [[nodiscard]] bool keeps_first() const {
    return wanted_.end < extent_ && wanted_.end <= std::max(extent_ / kKeptPart, kFewKept);
  }

  /// Whether most of a lane is wanted, so that its keys are read where they are: entries of 64 bits
  /// and a position are twice as large.
  [[nodiscard]] bool takes_keys() const {
    return sizeof(K) == 8 && extent_ >= RadixSort::kFewest && is_mostly_wanted(extent_);
  }

  [[nodiscard]] bool is_mostly_wanted(size_t size) const { return size / 4 * 3 <= wanted_.size(); }

  [[nodiscard]] size_t most_entries() const {
    if (keeps_first()) return most_kept();
    return takes_keys() ? 0 : extent_;
  }

  [[nodiscard]] size_t most_kept() const { return 2 * wanted_.end + 2 * kBlock; }

  void read_first(const Lane<T>& lane, size_t count) {
    const KeyOrder<T, K> order = order_;
    for (size_t i = 0; i < count; ++i)
      entries_[i] = {static_cast<uint32_t>(i), order(lane[i])};
    size_ = count;
  }

  /// Whether an element of a block may come before `last`: NaN always may.
  [[nodiscard]] bool may_hold_earlier(const T* block, T last) const {
    using C = Computed<T>;
    const auto bound = static_cast<C>(last);
    uint32_t any = 0;  // no bool: those are not compared in vectors
    if (order_.descending) {
      for (size_t i = 0; i < kBlock; ++i)
        any |= static_cast<uint32_t>(!(static_cast<C>(block[i]) <= bound));
    } else {
      for (size_t i = 0; i < kBlock; ++i)
        any |= static_cast<uint32_t>(!(static_cast<C>(block[i]) >= bound));
    }
    return any != 0;
  }

  /// Calls visit(key, position) for elements from `begin` on that may come before the element at
  /// last(), which changes with the visits.
  template <typename Last, typename Visit>
  void visit_earlier(const Lane<T>& lane, size_t begin, Last last, Visit visit) {
    const KeyOrder<T, K> order = order_;
    std::array<T, kBlock> copies{};
    for (; begin < extent_; begin += kBlock) {
      const size_t count = std::min(kBlock, extent_ - begin);
      const T* block = lane.first + begin;
      if (lane.stride != 1 || count < kBlock) {
        const T bound = lane[last()];
        for (size_t i = 0; i < kBlock; ++i)
          copies[i] = i < count ? lane[begin + i] : bound;
        block = copies.data();
      }
      if (!may_hold_earlier(block, lane[last()])) continue;
      for (size_t i = 0; i < count; ++i)
        visit(order(block[i]), static_cast<uint32_t>(begin + i));
    }
  }

  /// Leaves the entries up to the end of the window, sorted. An element whose key is not below that
  /// of the last of these, and which comes later, is none of them.
  void insert_first(const Lane<T>& lane) {
    read_first(lane, wanted_.end);
    const std::span<Entry> entries = entries_.first(size_);
    sort_few(entries);
    const size_t last = size_ - 1;
    visit_earlier(
        lane,
        size_,
        [&] { return entries[last].position; },
        [&](K key, uint32_t position) {
          if (key >= entries[last].key) return;
          size_t at = last;
          for (; at > 0 && key < entries[at - 1].key; --at)
            entries[at] = entries[at - 1];
          entries[at] = {position, key};
        });
  }

  /// Leaves entries up to the end of the window.
  void keep_first(const Lane<T>& lane) {
    read_first(lane, wanted_.end);
    Entry last = std::ranges::max(entries_.first(size_), {}, &Entry::key);
    visit_earlier(
        lane,
        size_,
        [&] { return last.position; },
        [&](K key, uint32_t position) {
          if (key >= last.key) return;
          entries_[size_++] = {position, key};
          if (size_ >= 2 * wanted_.end + kBlock) last = drop_last();
        });
    if (size_ > wanted_.end) drop_last();
  }

  /// Leaves as many entries as the window has up to its end, and gives one with the last key.
  Entry drop_last() {
    const size_t count = wanted_.end;
    const std::span<K> keys = std::span(keys_).first(size_);
    std::ranges::transform(entries_.first(size_), keys.begin(), &Entry::key);
    std::ranges::nth_element(keys, keys.begin() + static_cast<std::ptrdiff_t>(count) - 1);
    const K bound = keys[count - 1];
    const auto below = [&](K key) { return key < bound; };
    auto equal = count - static_cast<size_t>(std::ranges::count_if(keys.first(count), below));
    Entry last{};
    keep([&](const Entry& entry) {
      if (entry.key != bound) return entry.key < bound;
      if (equal == 0) return false;
      --equal;
      last = entry;
      return true;
    });
    return last;
  }

  /// Leaves the entries for which it holds.
  template <typename Holds>
  void keep(Holds holds) {
    size_t kept = 0;
    for (size_t i = 0; i < size_; ++i) {
      const Entry entry = entries_[i];
      entries_[kept] = entry;
      kept += holds(entry) ? 1 : 0;
    }
    size_ = kept;
  }

  /// Drops entries that sorting would put before or behind the window, by counting the highest
  /// digits of keys. Gives the window in those that stay.
  Window narrow() {
    constexpr int kDigitBits = 11;
    constexpr K kLargestDigit = (K{1} << kDigitBits) - 1;
    Window window = wanted_;
    int bits = static_cast<int>(sizeof(K)) * 8;  // lower ones, in which the entries may differ
    while (bits > 0 && size_ > kFew && !is_mostly_wanted(size_)) {
      bits = std::max(bits - kDigitBits, 0);
      const auto digit_of = [&](const Entry& e) { return (e.key >> bits) & kLargestDigit; };
      std::array<uint32_t, kLargestDigit + 1> counts{};
      for (size_t i = 0; i < size_; ++i)
        ++counts[digit_of(entries_[i])];
      K lowest = 0;
      size_t before = 0;
      for (; before + counts[lowest] <= window.begin; ++lowest)
        before += counts[lowest];
      K highest = lowest;
      for (size_t end = before + counts[lowest]; end < window.end; end += counts[highest])
        ++highest;
      keep([&](const Entry& e) { return digit_of(e) >= lowest && digit_of(e) <= highest; });
      window = {window.begin - before, window.end - before};
      if (lowest != highest) break;
    }
    return window;
  }

  size_t extent_;
  Window wanted_;
  KeyOrder<T, K> order_;
  SortMemory<Entry> memory_;
  std::span<Entry> entries_;
  size_t size_ = 0;  // of the entries, so many are in use
  std::vector<K> keys_;
  StableSort<K> sort_;
};

}  // namespace wick::runtime
