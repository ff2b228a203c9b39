// argsort, lane by lane.

#include <limits>
#include <optional>

#include "wick/ir/axis_split.h"
#include "wick/runtime/lane_sort.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

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
