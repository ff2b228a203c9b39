// argsort: elements become unsigned keys whose order is the wanted one, then radix sort.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
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

template <typename T>
using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// Rises with the value; NaN is above all, and zeros of either sign are the same.
template <typename T>
Key<T> key_of(T element) {
  using K = Key<T>;
  constexpr K kSign = K{1} << (sizeof(K) * 8 - 1);
  const Computed<T> value = static_cast<Computed<T>>(element);
  if constexpr (std::is_floating_point_v<Computed<T>>) {
    if (value != value) return std::numeric_limits<K>::max();
    const K bits = std::bit_cast<K>(value + 0);  // -0 + 0 is 0
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else {
    return static_cast<K>(value) ^ (std::is_signed_v<T> ? kSign : 0);
  }
}

template <typename K>
struct Entry {
  K key;
  uint32_t position;
};

/// Sorts by rising key, stable, one byte after another from the lowest (Knuth, volume 3, 5.2.5).
template <typename K>
void radix_sort(std::vector<Entry<K>>& entries, std::vector<Entry<K>>& other) {
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
    entries.swap(other);
  }
}

template <typename K>
void sort_entries(std::vector<Entry<K>>& entries, std::vector<Entry<K>>& other) {
  if (entries.size() >= kRadixThreshold) return radix_sort(entries, other);
  std::ranges::sort(entries, [](const Entry<K>& a, const Entry<K>& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  });
}

template <typename T>
class NativeArgsort final : public HostCall {
 public:
  NativeArgsort(const ir::AxisSplit& split, bool descending)
      : split_(split),
        flip_(descending ? ~Key<T>{0} : Key<T>{0}) {}

  std::string_view implementation() const override { return "native argsort"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    if (split_.extent == 0) return;
    const auto* x = static_cast<const T*>(operands[0]);
    auto* out = static_cast<int64_t*>(result);
    const int64_t lanes = split_.outer * split_.inner;
    parallel_ranges(lanes, kWorkGrain / split_.extent + 1, [&](int64_t begin, int64_t end) {
      const auto extent = static_cast<size_t>(split_.extent);
      std::vector<Entry<Key<T>>> entries(extent);
      std::vector<Entry<Key<T>>> other(extent >= kRadixThreshold ? extent : 0);
      for (int64_t lane = begin; lane < end; ++lane) {
        const int64_t at = lane / split_.inner * split_.extent * split_.inner + lane % split_.inner;
        for (size_t i = 0; i < extent; ++i) {
          const T element = x[at + static_cast<int64_t>(i) * split_.inner];
          entries[i] = {key_of(element) ^ flip_, static_cast<uint32_t>(i)};
        }
        sort_entries(entries, other);
        for (size_t i = 0; i < extent; ++i)
          out[at + static_cast<int64_t>(i) * split_.inner] = entries[i].position;
      }
    });
  }

 private:
  ir::AxisSplit split_;
  Key<T> flip_;  // all ones turn the order round
};

}  // namespace

std::unique_ptr<HostCall> make_native_argsort(const LibraryOp& op) {
  if (op.op != ir::OpKind::argsort) return nullptr;
  const ir::AxisSplit split = ir::split_at(op.result.shape, op.attributes.integer("axis", 0));
  if (split.extent > std::numeric_limits<uint32_t>::max()) return nullptr;
  const bool descending = op.attributes.flag("descending");
  return visit_dtype(op.operands[0].dtype, [&]<typename T>() -> std::unique_ptr<HostCall> {
    return std::make_unique<NativeArgsort<T>>(split, descending);
  });
}

}  // namespace wick::runtime
