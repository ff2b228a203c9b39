// argsort: elements become unsigned keys whose order is the wanted one, then radix sort. Where few
// of the sorted positions are wanted, most elements are sorted out before.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "wick/ir/axis_split.h"
#include "wick/runtime/combine.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 4096;
/// Below this many elements comparing is faster than counting 256 buckets a byte.
constexpr size_t kRadixThreshold = 512;
/// Elements that a look passes by at once where none of them is among the first.
constexpr size_t kBlock = 32;
/// One pass that keeps the first of a lane beats counting digits where they are a small part of it,
/// or few, though not where they are many of few.
constexpr size_t kKeptPart = 64;
constexpr size_t kFewKept = 16;
constexpr size_t kLargestKeptPart = 8;
/// So few are sorted as they are.
constexpr size_t kFew = 128;

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

template <typename K>
struct Entry {
  K key;
  uint32_t position;
};

template <typename K>
using Entries = std::span<Entry<K>>;

/// Sorts by rising key, stable, one byte after another from the lowest (Knuth, volume 3, 5.2.5).
/// The result is in one or the other.
template <typename K>
Entries<K> radix_sort(Entries<K> entries, Entries<K> other) {
  constexpr size_t kBytes = sizeof(K);
  std::array<std::array<uint32_t, 256>, kBytes> counts{};
  for (const Entry<K>& entry : entries) {
    for (size_t byte = 0; byte < kBytes; ++byte)
      ++counts[byte][(entry.key >> (8 * byte)) & 0xFFU];
  }
  for (size_t byte = 0; byte < kBytes; ++byte) {
    auto& count = counts[byte];
    // Bytes that are the same everywhere decide nothing.
    if (count[(entries.front().key >> (8 * byte)) & 0xFFU] == entries.size()) continue;
    uint32_t start = 0;
    for (uint32_t& bucket : count)
      start += std::exchange(bucket, start);
    for (const Entry<K>& entry : entries)
      other[count[(entry.key >> (8 * byte)) & 0xFFU]++] = entry;
    std::swap(entries, other);
  }
  return entries;
}

/// Numbers of sorted elements.
struct Window {
  size_t begin;
  size_t end;

  [[nodiscard]] size_t size() const { return end - begin; }
};

template <typename T>
struct Lane {
  const T* first;
  int64_t stride;
};

/// Finds what stands in a window of sorted lanes of one length. Entries are always in the order of
/// their positions until they are sorted, so that sorting can be stable.
template <typename T>
class LaneSort {
 public:
  using K = Key<T>;

  LaneSort(size_t extent, Window wanted, K flip)
      : extent_(extent),
        wanted_(wanted),
        flip_(flip),
        entries_(keeps_first() ? most_kept() : extent),
        keys_(keeps_first() ? most_kept() : 0) {}

  Entries<K> operator()(const Lane<T>& lane) {
    if (keeps_first()) {
      keep_first(lane);
    } else {
      read_first(lane, extent_);
    }
    const Window window = narrow();
    const Entries<K> sorted = sort(Entries<K>(entries_).first(size_));
    return sorted.subspan(window.begin, window.size());
  }

 private:
  [[nodiscard]] bool keeps_first() const {
    return wanted_.end <=
           std::max(extent_ / kKeptPart, std::min(extent_ / kLargestKeptPart, kFewKept));
  }

  [[nodiscard]] size_t most_kept() const { return 2 * wanted_.end + 2 * kBlock; }

  void read_first(const Lane<T>& lane, size_t count) {
    const K flip = flip_;
    for (size_t i = 0; i < count; ++i) {
      const T element = lane.first[static_cast<int64_t>(i) * lane.stride];
      entries_[i] = {key_of(element) ^ flip, static_cast<uint32_t>(i)};
    }
    size_ = count;
  }

  using Block = std::array<K, kBlock>;

  /// Keys from element `begin` on. Behind the end they are the largest.
  void read_block(const Lane<T>& lane, size_t begin, Block& keys) const {
    const T* const x = lane.first + static_cast<int64_t>(begin) * lane.stride;
    const K flip = flip_;
    if (lane.stride == 1 && extent_ - begin >= kBlock) {
      for (size_t i = 0; i < kBlock; ++i)
        keys[i] = key_of(x[i]) ^ flip;
      return;
    }
    const size_t count = std::min(kBlock, extent_ - begin);
    keys.fill(std::numeric_limits<K>::max());
    for (size_t i = 0; i < count; ++i)
      keys[i] = key_of(x[static_cast<int64_t>(i) * lane.stride]) ^ flip;
  }

  /// Leaves entries up to the end of the window. An element whose key is not below that of the last
  /// of these, and which comes later, is none of them.
  void keep_first(const Lane<T>& lane) {
    read_first(lane, wanted_.end);
    K bound = std::ranges::max(Entries<K>(entries_).first(size_), {}, &Entry<K>::key).key;
    Block keys;
    for (size_t begin = wanted_.end; begin < extent_; begin += kBlock) {
      read_block(lane, begin, keys);
      K any = 0;  // no bool: those are not compared in vectors
      for (const K key : keys)
        any |= static_cast<K>(key < bound);
      if (any == 0) continue;
      size_t size = size_;
      for (size_t i = 0; i < kBlock; ++i) {
        entries_[size] = {keys[i], static_cast<uint32_t>(begin + i)};
        size += keys[i] < bound ? 1 : 0;
      }
      size_ = size;
      if (size_ >= 2 * wanted_.end + kBlock) bound = drop_last();
    }
    if (size_ > wanted_.end) drop_last();
  }

  /// Leaves as many entries as the window has up to its end, and gives the key of the last.
  K drop_last() {
    const size_t count = wanted_.end;
    const std::span<K> keys = std::span<K>(keys_).first(size_);
    std::ranges::transform(Entries<K>(entries_).first(size_), keys.begin(), &Entry<K>::key);
    std::ranges::nth_element(keys, keys.begin() + static_cast<std::ptrdiff_t>(count) - 1);
    const K bound = keys[count - 1];
    const auto below = [&](K key) { return key < bound; };
    auto equal = count - static_cast<size_t>(std::ranges::count_if(keys.first(count), below));
    keep([&](const Entry<K>& entry) {
      if (entry.key != bound) return entry.key < bound;
      if (equal == 0) return false;
      --equal;
      return true;
    });
    return bound;
  }

  /// Leaves the entries for which it holds.
  template <typename Holds>
  void keep(Holds holds) {
    size_t kept = 0;
    for (size_t i = 0; i < size_; ++i) {
      const Entry<K> entry = entries_[i];
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
    while (bits > 0 && size_ > kFew && size_ / 4 * 3 > window.size()) {
      bits = std::max(bits - kDigitBits, 0);
      const auto digit_of = [&](const Entry<K>& e) { return (e.key >> bits) & kLargestDigit; };
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
      keep([&](const Entry<K>& e) { return digit_of(e) >= lowest && digit_of(e) <= highest; });
      window = {window.begin - before, window.end - before};
      if (lowest != highest) break;
    }
    return window;
  }

  Entries<K> sort(Entries<K> entries) {
    if (entries.size() >= kRadixThreshold) {
      other_.resize(std::max(other_.size(), entries.size()));
      return radix_sort(entries, Entries<K>(other_).first(entries.size()));
    }
    std::ranges::sort(entries, [](const Entry<K>& a, const Entry<K>& b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
    return entries;
  }

  size_t extent_;
  Window wanted_;
  K flip_;  // all ones turn the order round
  std::vector<Entry<K>> entries_;
  size_t size_ = 0;  // of the entries, so many are in use
  std::vector<Entry<K>> other_;
  std::vector<K> keys_;
};

template <typename T>
class NativeArgsort final : public HostCall {
 public:
  NativeArgsort(const ir::AxisSplit& split, Window wanted, bool descending)
      : split_(split),
        wanted_(wanted),
        flip_(descending ? ~Key<T>{0} : Key<T>{0}) {}

  std::string_view implementation() const override { return "native argsort"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    if (wanted_.size() == 0) return;
    const auto* x = static_cast<const T*>(operands[0]);
    auto* out = static_cast<int64_t*>(result);
    const auto [outer, extent, inner] = split_;
    const auto count = static_cast<int64_t>(wanted_.size());
    parallel_ranges(outer * inner, kWorkGrain / extent + 1, [&](int64_t begin, int64_t end) {
      LaneSort<T> sort(static_cast<size_t>(extent), wanted_, flip_);
      for (int64_t lane = begin; lane < end; ++lane) {
        const int64_t at = lane / inner * extent * inner + lane % inner;
        int64_t* to = out + lane / inner * count * inner + lane % inner;
        for (const Entry<Key<T>>& entry : sort({.first = x + at, .stride = inner})) {
          *to = entry.position;
          to += inner;
        }
      }
    });
  }

 private:
  ir::AxisSplit split_;
  Window wanted_;
  Key<T> flip_;
};

}  // namespace

std::unique_ptr<HostCall> make_native_argsort(const LibraryOp& op) {
  if (op.op != ir::OpKind::argsort) return nullptr;
  const int64_t axis = op.attributes.integer("axis", 0);
  const ir::AxisSplit split = ir::split_at(op.operands[0].shape, axis);
  if (split.extent > std::numeric_limits<uint32_t>::max()) return nullptr;
  const auto start = static_cast<size_t>(op.attributes.integer("start", 0));
  const auto count = static_cast<size_t>(op.result.shape[static_cast<int>(axis)]);
  const bool descending = op.attributes.flag("descending");
  return visit_dtype(op.operands[0].dtype, [&]<typename T>() -> std::unique_ptr<HostCall> {
    return std::make_unique<NativeArgsort<T>>(split, Window{start, start + count}, descending);
  });
}

}  // namespace wick::runtime
