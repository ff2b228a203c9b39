#pragma once

// Internal to runtime/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "wick/ir/axis_split.h"
#include "wick/runtime/division.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {

/// Lanes along an axis, in blocks of those that lie beside each other: one for each thread, where
/// that leaves a block whole cache lines of each row, which no two threads write to then.
class LaneBlocks {
 public:
  struct Block {
    int64_t outer;
    int64_t first;  // of the inner lanes
    int64_t count;
  };

  /// Of so many lanes each. Where memory decides, no fewer than passes::kPieceOfRow: two threads
  /// took twice as long as one to add up the rows of [4001,1000].
  struct Sizes {
    int64_t least;
    int64_t most;
  };

  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  LaneBlocks(const ir::AxisSplit& split, size_t item_bytes, Sizes sizes) : split_(split) {
    constexpr size_t kLineBytes = 64;
    const auto line = static_cast<int64_t>(kLineBytes / item_bytes);
    const int64_t wanted = ceil_div(max_threads(), std::max<int64_t>(1, split.outer));
    const int64_t share = ceil_div(ceil_div(split.inner, wanted), line) * line;
    size_ = std::min(std::max(share, sizes.least), sizes.most);
    per_outer_ = ceil_div(split.inner, size_);
  }

  [[nodiscard]] int64_t count() const { return split_.outer * per_outer_; }

  /// Calls body(block) for each, on several threads where that leaves each `grain` steps, of which
  /// a lane takes so many.
  void for_each(int64_t grain,
                int64_t steps_of_lane,
                const std::function<void(const Block&)>& body) const {
    const int64_t steps = std::max<int64_t>(1, steps_of_lane * std::min(size_, split_.inner));
    parallel_ranges(count(), ceil_div(grain, steps), [&](int64_t begin, int64_t end) {
      for (; begin < end; ++begin) {
        const int64_t first = begin % per_outer_ * size_;
        body({begin / per_outer_, first, std::min(size_, split_.inner - first)});
      }
    });
  }

 private:
  ir::AxisSplit split_;
  int64_t size_;
  int64_t per_outer_;
};

}  // namespace wick::runtime
