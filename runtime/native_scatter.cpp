// scatter: deterministic, since each slice takes its updates in the order of the indices.

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "wick/ir/axis_split.h"
#include "wick/passes/reduction_split.h"
#include "wick/runtime/combine.h"
#include "wick/runtime/division.h"
#include "wick/runtime/index_shares.h"
#include "wick/runtime/lane_blocks.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 32768;

/// What sums and products of T are kept in until all updates are in: halves would round each time.
template <typename T, typename Combine>
using Stored = std::conditional_t<std::is_same_v<Combine, Add> || std::is_same_v<Combine, Multiply>,
                                  Computed<T>,
                                  T>;

/// x[outer, extent, inner] takes updates[outer, count, inner] at indices[count], or, along the
/// axis, at indices[outer, count, inner].
template <typename T, typename Combine>
class NativeScatter final : public HostCall {
 public:
  explicit NativeScatter(const LibraryOp& op)
      : split_(ir::split_at(op.result.shape, axis_of(op))),
        is_along_(op.attributes.flag("along") && split_.outer * split_.inner > 1),
        num_indices_(op.operands[1].numel()),
        count_(is_along_ ? op.operands[1].shape[axis_of(op)] : num_indices_),
        numel_(op.result.numel()),
        indices_(op.operands[1].dtype) {}

  std::string_view implementation() const override { return "native scatter"; }

  size_t scratch_bytes() const override {
    return index_bytes() + (kIsWidened ? static_cast<size_t>(numel_) * sizeof(Store) : 0);
  }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    // Without elements the pointers may be null.
    if (numel_ == 0) return;
    auto* const out = static_cast<T*>(result);
    if (result != operands[0]) {
      const auto* const from = static_cast<const T*>(operands[0]);
      parallel_ranges(numel_, kWorkGrain, [&](int64_t begin, int64_t end) {
        std::memcpy(out + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(T));
      });
    }
    const int64_t* indices = wide_indices(operands[1], scratch);
    const auto* updates = static_cast<const T*>(operands[2]);
    if constexpr (kIsWidened) {
      auto* const wide = reinterpret_cast<Store*>(scratch + index_bytes());
      for (int64_t i = 0; i < numel_; ++i)
        wide[i] = static_cast<Store>(out[i]);
      scatter(wide, indices, updates);
      for (int64_t i = 0; i < numel_; ++i)
        out[i] = static_cast<T>(wide[i]);
    } else {
      scatter(out, indices, updates);
    }
  }

 private:
  using Store = Stored<T, Combine>;
  static constexpr bool kIsWidened = !std::is_same_v<Store, T>;

  static int axis_of(const LibraryOp& op) {
    return static_cast<int>(op.attributes.integer("axis", 0));
  }

  size_t index_bytes() const {
    if (indices_ == DType::i64) return 0;
    return aligned(static_cast<size_t>(num_indices_) * sizeof(int64_t));
  }

  const int64_t* wide_indices(const void* indices, std::byte* scratch) const {
    if (indices_ == DType::i64) return static_cast<const int64_t*>(indices);
    auto* const wide = reinterpret_cast<int64_t*>(scratch);
    std::copy_n(static_cast<const int32_t*>(indices), num_indices_, wide);
    return wide;
  }

  /// Where the lanes beside each other are too few to share out, threads share the slices.
  void scatter(Store* out, const int64_t* indices, const T* updates) const {
    if (is_along_) return scatter_elements(out, indices, updates);
    const LaneBlocks blocks(
        split_, sizeof(T), {.least = passes::kPieceOfRow, .most = LaneBlocks::kUnlimited});
    const int64_t lanes = split_.outer * split_.inner;
    const int64_t threads = std::min<int64_t>(max_threads(), lanes * count_ / kWorkGrain + 1);
    const std::vector<IndexShare> shares = blocks.count() < threads
                                               ? shares_of(indices, static_cast<int>(threads))
                                               : std::vector<IndexShare>();
    if (!shares.empty()) {
      parallel_for(static_cast<int64_t>(shares.size()), [&](int64_t i) {
        for (int64_t outer = 0; outer < split_.outer; ++outer)
          put_lanes(
              out, indices, updates, shares[static_cast<size_t>(i)], {outer, 0, split_.inner});
      });
      return;
    }
    blocks.for_each(kWorkGrain, count_, [&](const LaneBlocks::Block& block) {
      put_lanes(out, indices, updates, {0, split_.extent, 0, count_}, block);
    });
  }

  static void put(Store& to, const T& update) {
    const auto old = static_cast<Computed<T>>(to);
    to = static_cast<Store>(Combine()(old, static_cast<Computed<T>>(update)));
  }

  [[nodiscard]] bool exists(int64_t position) const {
    return static_cast<uint64_t>(position) < static_cast<uint64_t>(split_.extent);
  }

  void scatter_elements(Store* out, const int64_t* indices, const T* updates) const {
    if (split_.inner > 1) {
      const LaneBlocks blocks(split_, sizeof(T), {.least = 1, .most = LaneBlocks::kUnlimited});
      return blocks.for_each(kWorkGrain, count_, [&](const LaneBlocks::Block& block) {
        put_columns(out, indices, updates, block);
      });
    }
    constexpr int64_t kTurns = 8;
    constexpr int64_t kFewElements = 64;
    const int64_t grain = ceil_div(kWorkGrain, std::max<int64_t>(count_, 1));
    parallel_ranges(split_.outer, grain, [&](int64_t row, int64_t end) {
      for (; split_.extent <= kFewElements && row + kTurns <= end; row += kTurns)
        put_rows<kTurns>(out, indices, updates, row);
      for (; row < end; ++row)
        put_elements(out, indices + row * count_, updates, {0, split_.extent, 0, count_}, row);
    });
  }

  /// By turns: what meets an element again that was changed just now waits for it.
  template <int64_t kRows>
  void put_rows(Store* out, const int64_t* indices, const T* updates, int64_t row) const {
    const int64_t first = row * count_;
    for (int64_t i = first; i < first + count_; ++i) {
      Store* to = out + row * split_.extent;
      for (int64_t at = i; at < i + kRows * count_; at += count_) {
        if (exists(indices[at])) put(to[indices[at]], updates[at]);
        to += split_.extent;
      }
    }
  }

  void put_columns(Store* out,
                   const int64_t* indices,
                   const T* updates,
                   const LaneBlocks::Block& block) const {
    for (int64_t i = 0; i < count_; ++i) {
      Store* const to = out + block.outer * split_.extent * split_.inner + block.first;
      const int64_t at = (block.outer * count_ + i) * split_.inner + block.first;
      for (int64_t j = 0; j < block.count; ++j) {
        const int64_t position = indices[at + j];
        if (exists(position)) put(to[position * split_.inner + j], updates[at + j]);
      }
    }
  }

  /// Of indices in no order each thread goes over all for those of its own. Not where slices are
  /// single elements: to ask whose one is takes longer than to put it.
  std::vector<IndexShare> shares_of(const int64_t* indices, int threads) const {
    std::vector<IndexShare> shares =
        share_indices({indices, static_cast<size_t>(count_)}, split_.extent, threads);
    if (!shares.empty() || split_.inner == 1) return shares;
    for (int64_t i = 0; i < threads; ++i)
      shares.push_back({split_.extent * i / threads, split_.extent * (i + 1) / threads, 0, count_});
    return shares;
  }

  void put_lanes(Store* out,
                 const int64_t* indices,
                 const T* updates,
                 const IndexShare& share,
                 const LaneBlocks::Block& block) const {
    const auto [outer, first, count] = block;
    if (split_.inner == 1) return put_elements(out, indices, updates, share, outer);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const int64_t slice = indices[i];
      if (slice < share.first_slice || slice >= share.end_slice) continue;
      Store* to = out + (outer * split_.extent + slice) * split_.inner + first;
      const T* from = updates + (outer * count_ + i) * split_.inner + first;
      for (int64_t j = 0; j < count; ++j)
        put(to[j], from[j]);
    }
  }

  /// Where slices are single elements, a loop over each would take longer than they do.
  void put_elements(Store* out,
                    const int64_t* indices,
                    const T* updates,
                    const IndexShare& share,
                    int64_t outer) const {
    Store* const to = out + outer * split_.extent;
    const T* const from = updates + outer * count_;
    const auto [first_slice, end_slice, begin, end] = share;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t slice = indices[i];
      if (slice < first_slice || slice >= end_slice) continue;
      put(to[slice], from[i]);
    }
  }

  ir::AxisSplit split_;
  bool is_along_;
  int64_t num_indices_;
  int64_t count_;  // of a lane
  int64_t numel_;
  DType indices_;
};

template <typename Combine>
std::unique_ptr<HostCall> make(const LibraryOp& op) {
  return visit_dtype(op.result.dtype, [&]<typename T>() -> std::unique_ptr<HostCall> {
    return std::make_unique<NativeScatter<T, Combine>>(op);
  });
}

}  // namespace

std::unique_ptr<HostCall> make_native_scatter(const LibraryOp& op) {
  if (op.op != ir::OpKind::scatter) return nullptr;
  const std::string& mode = op.attributes.text("mode");
  if (mode.empty() || mode == "add") return make<Add>(op);
  if (mode == "mul") return make<Multiply>(op);
  if (mode == "max") return make<Maximum>(op);
  if (mode == "min") return make<Minimum>(op);
  return make<Replace>(op);
}

}  // namespace wick::runtime
