// argsort: short lanes side by side, others one by one.

#include <algorithm>
#include <limits>
#include <optional>

#include "wick/ir/axis_split.h"
#include "wick/runtime/lane_sort.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/sorting_network.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 4096;

/// The least key of integers that are less than 2^32 apart.
template <typename T>
std::optional<Key<T>> common_base(const Lane<T>& lane, size_t extent) {
  T least = lane[0];
  T largest = least;
  for (size_t i = 1; i < extent; ++i) {
    least = std::min(least, lane[i]);
    largest = std::max(largest, lane[i]);
  }
  const Key<T> base = key_of(least);
  if (key_of(largest) - base > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return base;
}

template <typename T>
class NativeArgsort final : public HostCall {
 public:
  NativeArgsort(const ir::AxisSplit& split, Window wanted, bool descending)
      : split_(split),
        wanted_(wanted),
        descending_(descending) {}

  std::string_view implementation() const override { return "native argsort"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    if (wanted_.size() == 0) return;
    const auto* x = static_cast<const T*>(operands[0]);
    auto* out = static_cast<int64_t*>(result);
    const auto [outer, extent, inner] = split_;
    parallel_ranges(outer * inner, kWorkGrain / extent + 1, [&](int64_t begin, int64_t end) {
      std::optional<LaneSort<T, Key<T>>> sort;
      std::optional<LaneSort<T, uint32_t>> sort_close;
      const auto count = static_cast<size_t>(extent);
      for (int64_t lane = begin; lane < end; ++lane) {
        const Lane<T> elements{x + lane / inner * extent * inner + lane % inner, inner};
        int64_t* to = out + lane / inner * window_size() * inner + lane % inner;
        const auto write = [&, inner = inner](uint32_t position) {
          *to = position;
          to += inner;
        };
        if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
          if (const auto base = common_base(elements, count)) {
            if (!sort_close) sort_close.emplace(count, wanted_);
            (*sort_close)(elements, {*base, descending_}, write);
            continue;
          }
        }
        if (!sort) sort.emplace(count, wanted_);
        (*sort)(elements, {0, descending_}, write);
      }
    });
  }

 private:
  [[nodiscard]] int64_t window_size() const { return static_cast<int64_t>(wanted_.size()); }

  ir::AxisSplit split_;
  Window wanted_;
  bool descending_;
};

/// Of elements of up to 32 bits.
template <typename T>
class ShortArgsort final : public HostCall {
 public:
  ShortArgsort(const ir::AxisSplit& split, Window wanted, bool descending)
      : split_(split),
        wanted_(wanted),
        key_{0, descending},
        network_(static_cast<size_t>(split.extent)) {}

  /// Few of the first of longer lanes are found by a look at the others.
  static bool fits(const ir::AxisSplit& split, Window wanted) {
    constexpr int64_t kShort = 32;
    constexpr size_t kPart = 4;
    const auto longest = static_cast<int64_t>(SortingNetwork::kLongest);
    const auto [outer, extent, inner] = split;
    const bool wants_most = kPart * wanted.end >= static_cast<size_t>(extent);
    return SortingNetwork::is_fast() && 1 < extent && extent <= longest &&
           2 * outer * inner >= kLanes && (extent <= kShort || wants_most);
  }

  std::string_view implementation() const override { return "native argsort, side by side"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    const auto* x = static_cast<const T*>(operands[0]);
    auto* out = static_cast<int64_t*>(result);
    const int64_t lanes = split_.outer * split_.inner;
    const int64_t size = split_.extent * kLanes;
    parallel_ranges(
        (lanes + kLanes - 1) / kLanes, kWorkGrain / size + 1, [&](int64_t begin, int64_t end) {
          SortMemory<int64_t> memory;
          int64_t* const numbers = memory.first(static_cast<size_t>(size)).data();
          std::fill_n(numbers, size, 0);
          for (int64_t first = begin * kLanes; first < std::min(end * kLanes, lanes);
               first += kLanes) {
            const int64_t count = std::min(kLanes, lanes - first);
            for (int64_t lane = 0; lane < count; ++lane)
              read(x + place(first + lane, split_.extent), numbers + lane);
            network_(numbers);
            for (int64_t lane = 0; lane < count; ++lane)
              write(numbers + lane, out + place(first + lane, window_size()));
          }
        });
  }

 private:
  static constexpr auto kLanes = static_cast<int64_t>(SortingNetwork::kLanes);

  [[nodiscard]] int64_t window_size() const { return static_cast<int64_t>(wanted_.size()); }

  /// Of a lane's first element, where lanes are so long.
  [[nodiscard]] int64_t place(int64_t lane, int64_t extent) const {
    return lane / split_.inner * extent * split_.inner + lane % split_.inner;
  }

  /// An element's key and, below it, its position: no two are equal.
  void read(const T* lane, int64_t* numbers) const {
    constexpr uint32_t kSign = 0x80000000;
    for (int64_t i = 0; i < split_.extent; ++i) {
      const uint64_t key = key_(lane[i * split_.inner]) ^ kSign;
      numbers[i * kLanes] = static_cast<int64_t>(key << 32U | static_cast<uint64_t>(i));
    }
  }

  void write(const int64_t* numbers, int64_t* lane) const {
    const int64_t* const wanted = numbers + static_cast<int64_t>(wanted_.begin) * kLanes;
    for (int64_t i = 0; i < window_size(); ++i)
      lane[i * split_.inner] = static_cast<uint32_t>(wanted[i * kLanes]);
  }

  ir::AxisSplit split_;
  Window wanted_;
  KeyOrder<T, uint32_t> key_;
  SortingNetwork network_;
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
  const Window wanted{start, start + count};
  return visit_dtype(op.operands[0].dtype, [&]<typename T>() -> std::unique_ptr<HostCall> {
    if constexpr (sizeof(T) <= sizeof(uint32_t)) {
      if (ShortArgsort<T>::fits(split, wanted))
        return std::make_unique<ShortArgsort<T>>(split, wanted, descending);
    }
    return std::make_unique<NativeArgsort<T>>(split, wanted, descending);
  });
}

}  // namespace wick::runtime
