#pragma once

// Elements as unsigned keys whose order is that of the elements, and stable sorting of these.
// Internal to runtime/.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "wick/runtime/buffer.h"
#include "wick/runtime/combine.h"

namespace wick::runtime {

template <typename T>
using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// Rises with the value; NaN is above all, and zeros of either sign are the same.
template <typename T>
Key<T> key_of(T element) {
  using K = Key<T>;
  constexpr K kSign = K{1} << (sizeof(K) * 8 - 1);
  const Computed<T> value = static_cast<Computed<T>>(element);
  if constexpr (std::is_floating_point_v<Computed<T>>) {
    const K bits = std::bit_cast<K>(value + 0);  // -0 + 0 is 0
    const K key = (bits & kSign) != 0 ? ~bits : bits | kSign;
    return value != value ? std::numeric_limits<K>::max() : key;
  } else {
    return static_cast<K>(value) ^ (std::is_signed_v<T> ? kSign : 0);
  }
}

/// Numbers of sorted elements.
struct Window {
  size_t begin;
  size_t end;

  [[nodiscard]] size_t size() const { return end - begin; }
};

static_assert(std::endian::native == std::endian::little);

template <typename K>
struct SortEntry {
  uint32_t position;  // first, so that with a key of 32 bits both are one number of 64
  K key;

  friend bool operator<(const SortEntry& a, const SortEntry& b) {
    if constexpr (sizeof(K) == 4) {
      return std::bit_cast<uint64_t>(a) < std::bit_cast<uint64_t>(b);
    } else {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    }
  }
};

/// Working memory that grows; what it holds is lost when it does.
template <typename T>
class SortMemory {
 public:
  std::span<T> first(size_t count) {
    if (count > size_) {
      buffer_ = Buffer::allocate(count * sizeof(T), {.purpose = "scratch", .op = "argsort"});
      size_ = count;
    }
    return count == 0 ? std::span<T>() : std::span(static_cast<T*>(buffer_->data()), count);
  }

 private:
  Ref<Buffer> buffer_;
  size_t size_ = 0;
};

/// Sorts entries of which equal ones are in order where comparing is fastest: up to some number
/// each with each, without a branch.
template <typename K>
void sort_few(std::span<SortEntry<K>> entries) {
  constexpr size_t kRanked = 24;
  const size_t size = entries.size();
  if (size == 2) {
    if (entries[1] < entries[0]) std::swap(entries[0], entries[1]);
    return;
  }
  if (size > kRanked) {
    std::ranges::sort(entries, std::less{});
    return;
  }
  std::array<SortEntry<K>, kRanked> copies{};
  std::ranges::copy(entries, copies.begin());
  for (size_t i = 0; i < size; ++i) {
    const SortEntry<K> entry = copies[i];
    size_t rank = 0;
    for (size_t j = 0; j < i; ++j)
      rank += copies[j].key <= entry.key ? 1 : 0;
    for (size_t j = i + 1; j < size; ++j)
      rank += copies[j].key < entry.key ? 1 : 0;
    entries[rank] = entry;
  }
}

template <typename K, typename Emit>
void emit_window(std::span<const SortEntry<K>> sorted, Window window, Emit emit) {
  for (const SortEntry<K>& entry : sorted.subspan(window.begin, window.size()))
    emit(entry.position);
}

/// Of keys of 32 bits, by their lowest bits, stable: entries of equal keys keep their order, which
/// is that of their positions.
class RadixSort {
 public:
  using Entry = SortEntry<uint32_t>;

  /// Below this, comparing is faster than counting 256 buckets a byte.
  static constexpr size_t kFewest = 64;

  /// By the lowest bits of keys (Knuth, volume 3, 5.2.5): what the cache holds by its highest
  /// digits, the lowest of them first, and then what has these in common; more by the highest
  /// digit, then each part by itself. The result is in `other` if it is wanted there.
  static void run(std::span<Entry> entries,
                  std::span<Entry> other,
                  unsigned bits,
                  bool wanted_in_other) {
    bool is_in_other = false;
    if (entries.size() < kFewest) {
      sort_few(entries);
    } else {
      bits = differing_bits(entries, bits);
      if (entries.size() > kCached && bits > 0) {
        sort_parts(entries, other, bits, wanted_in_other);
        return;
      }
      is_in_other = sort_cached(entries, other, bits);
    }
    if (is_in_other == wanted_in_other) return;
    if (is_in_other) std::swap(entries, other);
    std::ranges::copy(entries, other.begin());
  }

 private:
  /// So many, twice, stay in the cache from one digit to the next.
  static constexpr size_t kCached = 16384;
  static constexpr unsigned kDigitBits = 8;
  using Counts = std::array<uint32_t, 1U << kDigitBits>;

  static size_t digit_of(const Entry& entry, unsigned shift) {
    return static_cast<size_t>(entry.key >> shift) % (size_t{1} << kDigitBits);
  }

  /// Two digits tell nearly all of so few keys apart if they are random, and three those of floats,
  /// which have little but their exponents in the first. Returns whether the result is in `other`.
  static bool sort_cached(std::span<Entry> entries, std::span<Entry> other, unsigned bits) {
    constexpr size_t kMostDigits = 3;
    const size_t digits = std::min<size_t>(bits > 24 ? 3 : 2, (bits + kDigitBits - 1) / kDigitBits);
    const unsigned below = bits - std::min(bits, static_cast<unsigned>(digits) * kDigitBits);
    std::array<Counts, kMostDigits> counts{};
    for (const Entry& entry : entries) {
      for (size_t i = 0; i < digits; ++i)
        ++counts[i][digit_of(entry, below + static_cast<unsigned>(i) * kDigitBits)];
    }
    bool is_in_other = false;
    for (size_t i = 0; i < digits; ++i) {
      scatter(entries, other, below + static_cast<unsigned>(i) * kDigitBits, counts[i]);
      std::swap(entries, other);
      is_in_other = !is_in_other;
    }
    if (below > 0) sort_runs(entries, other, below);
    return is_in_other;
  }

  /// What is in order but for the bits below `shift`.
  static void sort_runs(std::span<Entry> entries, std::span<Entry> other, unsigned shift) {
    for (size_t begin = 0, end = 1; begin < entries.size(); begin = end++) {
      const uint32_t upper = entries[begin].key >> shift;
      while (end < entries.size() && entries[end].key >> shift == upper)
        ++end;
      const size_t size = end - begin;
      if (size > 1) run(entries.subspan(begin, size), other.first(size), shift, false);
    }
  }

  static void sort_parts(std::span<Entry> entries,
                         std::span<Entry> other,
                         unsigned bits,
                         bool wanted_in_other) {
    const unsigned shift = bits > kDigitBits ? bits - kDigitBits : 0;
    Counts sizes{};
    for (const Entry& entry : entries)
      ++sizes[digit_of(entry, shift)];
    Counts starts = sizes;
    scatter(entries, other, shift, starts);
    size_t begin = 0;
    for (const uint32_t size : sizes) {
      if (size > 0)
        run(other.subspan(begin, size), entries.subspan(begin, size), shift, !wanted_in_other);
      begin += size;
    }
  }

  /// The number of lowest bits, of at most so many, that are not the same everywhere.
  static unsigned differing_bits(std::span<const Entry> entries, unsigned bits) {
    uint32_t differing = 0;
    for (const Entry& entry : entries)
      differing |= entry.key ^ entries.front().key;
    return std::min(bits, static_cast<unsigned>(std::bit_width(differing)));
  }

  /// Each entry behind those of lower digits; counts become ends.
  static void scatter(std::span<const Entry> from,
                      std::span<Entry> to,
                      unsigned shift,
                      Counts& counts) {
    uint32_t start = 0;
    for (uint32_t& bucket : counts)
      start += std::exchange(bucket, start);
    for (const Entry& entry : from)
      to[counts[digit_of(entry, shift)]++] = entry;
  }
};

/// Sorts by rising keys, those of equal ones by rising positions.
template <typename K>
class StableSort {
 public:
  using Entry = SortEntry<K>;

  /// Calls emit(position) for the entries with the numbers of the window, in order. The entries
  /// come in the order of their positions, and are left in any.
  template <typename Emit>
  void operator()(std::span<Entry> entries, Window window, Emit emit) {
    if (entries.size() < RadixSort::kFewest) {
      sort_few(entries);
      emit_window<K>(entries, window, emit);
    } else if constexpr (sizeof(K) == 4) {
      const std::span<Entry> sorted = sorted_.first(entries.size());
      RadixSort::run(entries, sorted, 32, true);
      emit_window<K>(sorted, window, emit);
    } else {
      of_keys(
          entries.size(),
          [&](uint32_t i) { return entries[i].key; },
          window,
          [&](uint32_t i) { emit(entries[i].position); });
    }
  }

  /// The same of so many keys, key_at(position), which need not be stored. By their upper halves,
  /// then what is equal there by the lower ones: entries of half the size, and half the digits
  /// where the upper ones tell most keys apart.
  template <typename KeyAt, typename Emit>
  void of_keys(size_t size, KeyAt key_at, Window window, Emit emit)
    requires(sizeof(K) == 8)
  {
    const std::span<SortEntry<uint32_t>> halves = halves_.first(size);
    const std::span<SortEntry<uint32_t>> sorted = sorted_.first(size);
    for (uint32_t i = 0; i < size; ++i)
      halves[i] = {i, static_cast<uint32_t>(key_at(i) >> 32U)};
    RadixSort::run(halves, sorted, 32, true);
    for (size_t begin = 0, end = 0; begin < size; begin = end) {
      const uint32_t upper = sorted[begin].key;
      while (end < size && sorted[end].key == upper)
        ++end;
      if (end - begin == 1) continue;
      const auto run = sorted.subspan(begin, end - begin);
      for (SortEntry<uint32_t>& half : run)
        half.key = static_cast<uint32_t>(key_at(half.position));
      RadixSort::run(run, halves.first(run.size()), 32, false);
    }
    emit_window<uint32_t>(sorted, window, emit);
  }

 private:
  SortMemory<SortEntry<uint32_t>> halves_;
  SortMemory<SortEntry<uint32_t>> sorted_;
};

}  // namespace wick::runtime
