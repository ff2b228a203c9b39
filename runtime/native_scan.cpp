// scan: each lane along the axis from one end to the other, floats in double.

#include <algorithm>
#include <array>

#include "wick/ir/axis_split.h"
#include "wick/passes/reduction_split.h"
#include "wick/runtime/combine.h"
#include "wick/runtime/lane_blocks.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

constexpr int64_t kWorkGrain = 32768;
/// Lanes beside each other go together, so that memory is read in order.
constexpr int64_t kBlock = passes::kPieceOfRow;
constexpr int64_t kFewLanes = 4;

/// What T is cumulated in.
template <typename T, typename Combine>
using Accumulator =
    std::conditional_t<!std::is_floating_point_v<Computed<T>>,
                       Computed<T>,
                       std::conditional_t<std::is_same_v<Combine, LogAddExp>, LogSum, double>>;

/// By way of float, as generated kernels do; max and min are exact in any case.
template <typename T>
T rounded(double value) {
  return static_cast<T>(static_cast<Computed<T>>(value));
}

template <typename T>
T rounded(const LogSum& sum) {
  return rounded<T>(sum.value());
}

template <typename T>
  requires(!std::is_floating_point_v<Computed<T>>)
T rounded(T value) {
  return value;
}

template <typename T, typename Combine>
class NativeScan final : public HostCall {
  using Value = Accumulator<T, Combine>;

 public:
  NativeScan(const ir::AxisSplit& split, bool reverse)
      : split_(split),
        first_(reverse ? (split.extent - 1) * split.inner : 0),
        stride_(reverse ? -split.inner : split.inner) {}

  std::string_view implementation() const override { return "native scan"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    if (split_.extent == 0) return;
    const auto* x = static_cast<const T*>(operands[0]);
    auto* out = static_cast<T*>(result);
    if (split_.inner == 1) {
      parallel_ranges(
          split_.outer, kWorkGrain / split_.extent + 1, [&](int64_t begin, int64_t end) {
            for (int64_t at = begin * split_.extent + first_; begin < end;
                 ++begin, at += split_.extent)
              scan_lanes<1>(x + at, out + at);
          });
      return;
    }
    constexpr int64_t kLeast = std::is_same_v<Combine, LogAddExp> ? 1 : kBlock;
    const LaneBlocks blocks(split_, sizeof(T), {.least = kLeast, .most = kBlock});
    blocks.for_each(kWorkGrain, split_.extent, [&](const LaneBlocks::Block& block) {
      const int64_t at = block.outer * split_.extent * split_.inner + block.first + first_;
      scan_block(x + at, out + at, block.count);
    });
  }

 private:
  static Value widened(T value) {
    const auto computed = static_cast<Computed<T>>(value);
    if constexpr (std::is_same_v<Value, LogSum>) {
      return {computed, 1};
    } else {
      return computed;
    }
  }

  /// Few lanes beside each other, whose values stay in registers. Where fewer than four wait for
  /// operations, four elements of each are combined with each other first: the next four then wait
  /// for one operation instead of four.
  template <int64_t kLanes>
  void scan_lanes(const T* x, T* out) const {
    constexpr bool kIsLatent = std::is_same_v<Combine, Add> || std::is_same_v<Combine, Multiply>;
    constexpr int64_t kTogether = kIsLatent && kLanes < kFewLanes ? 4 : 1;
    using Values = std::array<Value, kLanes>;
    const Combine combine;
    // Of this function's own: for all the compiler knows, a store may change a member.
    const int64_t stride = stride_;
    const int64_t extent = split_.extent;
    Values values;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      values[lane] = widened(x[lane]);
      out[lane] = x[lane];
    }
    int64_t i = 1;
    for (; i + kTogether <= extent; i += kTogether) {
      std::array<Values, kTogether> parts;
      for (int64_t j = 0; j < kTogether; ++j) {
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          const Value next = widened(x[(i + j) * stride + lane]);
          parts[j][lane] = j == 0 ? next : combine(parts[j - 1][lane], next);
        }
      }
      for (int64_t j = 0; j < kTogether; ++j)
        for (int64_t lane = 0; lane < kLanes; ++lane)
          out[(i + j) * stride + lane] = rounded<T>(combine(values[lane], parts[j][lane]));
      for (int64_t lane = 0; lane < kLanes; ++lane)
        values[lane] = combine(values[lane], parts[kTogether - 1][lane]);
    }
    for (; i < extent; ++i) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        values[lane] = combine(values[lane], widened(x[i * stride + lane]));
        out[i * stride + lane] = rounded<T>(values[lane]);
      }
    }
  }

  void scan_block(const T* x, T* out, int64_t count) const {
    if (count >= 2 * kFewLanes) return scan_many(x, out, count);
    for (; count >= kFewLanes; count -= kFewLanes, x += kFewLanes, out += kFewLanes)
      scan_lanes<kFewLanes>(x, out);
    if (count == 3) scan_lanes<3>(x, out);
    if (count == 2) scan_lanes<2>(x, out);
    if (count == 1) scan_lanes<1>(x, out);
  }

  void scan_many(const T* x, T* out, int64_t count) const {
    std::array<Value, kBlock> values;
    for (int64_t j = 0; j < count; ++j) {
      values[static_cast<size_t>(j)] = widened(x[j]);
      out[j] = x[j];
    }
    for (int64_t i = 1; i < split_.extent; ++i) {
      x += stride_;
      out += stride_;
      for (int64_t j = 0; j < count; ++j) {
        auto& value = values[static_cast<size_t>(j)];
        value = Combine()(value, widened(x[j]));
        out[j] = rounded<T>(value);
      }
    }
  }

  ir::AxisSplit split_;
  int64_t first_;   // from a lane's start to where the walk begins
  int64_t stride_;  // of the walk
};

template <typename Combine>
std::unique_ptr<HostCall> make(const LibraryOp& op) {
  const ir::AxisSplit split = ir::split_at(op.result.shape, op.attributes.integer("axis", 0));
  const bool reverse = op.attributes.flag("reverse");
  return visit_dtype(op.result.dtype, [&]<typename T>() -> std::unique_ptr<HostCall> {
    if constexpr (std::is_invocable_v<Combine, Accumulator<T, Combine>, Accumulator<T, Combine>>) {
      return std::make_unique<NativeScan<T, Combine>>(split, reverse);
    } else {
      return nullptr;
    }
  });
}

}  // namespace

std::unique_ptr<HostCall> make_native_scan(const LibraryOp& op) {
  if (op.op != ir::OpKind::scan) return nullptr;
  const std::string_view kind = op.attributes.text("kind");
  if (kind == "sum") return make<Add>(op);
  if (kind == "prod") return make<Multiply>(op);
  if (kind == "max") return make<Maximum>(op);
  if (kind == "min") return make<Minimum>(op);
  return make<LogAddExp>(op);
}

}  // namespace wick::runtime
