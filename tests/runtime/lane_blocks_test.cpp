// How the lanes along an axis are shared out.

#include "wick/runtime/lane_blocks.h"

#include <mutex>
#include <vector>

#include "run_graph.h"
#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

constexpr size_t kItem = 4;  // 16 of them are a line
constexpr LaneBlocks::Sizes kAnySize{.least = 1, .most = LaneBlocks::kUnlimited};

/// Calls for each block, counted by lane.
std::vector<int> visits(const ir::AxisSplit& split, LaneBlocks::Sizes sizes) {
  std::vector<int> lanes(static_cast<size_t>(split.outer * split.inner));
  std::mutex mutex;
  LaneBlocks(split, kItem, sizes).for_each(1, 1, [&](const LaneBlocks::Block& block) {
    const std::lock_guard lock(mutex);
    for (int64_t i = 0; i < block.count; ++i)
      ++lanes[static_cast<size_t>(block.outer * split.inner + block.first + i)];
  });
  return lanes;
}

TEST(LaneBlocks, HoldEveryLaneOnce) {
  const ThreadsOption option(3);
  for (const int64_t inner : {1, 15, 16, 17, 100, 5000}) {
    for (const int64_t outer : {0, 1, 2, 7}) {
      const std::vector<int> once(static_cast<size_t>(outer * inner), 1);
      EXPECT_EQ(visits({outer, 5, inner}, kAnySize), once) << outer << " by " << inner;
      EXPECT_EQ(visits({outer, 5, inner}, {.least = 64, .most = 2048}), once);
    }
  }
}

TEST(LaneBlocks, AreOneForEachThreadOfWholeLines) {
  const ThreadsOption option(4);
  const LaneBlocks blocks({.outer = 1, .extent = 5, .inner = 100}, kItem, kAnySize);
  EXPECT_EQ(blocks.count(), 4);
  std::mutex mutex;
  blocks.for_each(1, 1, [&](const LaneBlocks::Block& block) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(block.first % 16, 0);
  });
}

TEST(LaneBlocks, AreWholeRowsWhereThereAreAsManyAsThreads) {
  const ThreadsOption option(4);
  EXPECT_EQ(LaneBlocks({.outer = 4, .extent = 5, .inner = 100}, kItem, kAnySize).count(), 4);
}

TEST(LaneBlocks, AreNoShorterAndNoLongerThanTold) {
  const ThreadsOption option(4);
  const ir::AxisSplit split{.outer = 1, .extent = 5, .inner = 8192};
  EXPECT_EQ(LaneBlocks(split, kItem, {.least = 4096, .most = 8192}).count(), 2);
  EXPECT_EQ(LaneBlocks(split, kItem, {.least = 1, .most = 1024}).count(), 8);
}

}  // namespace
}  // namespace wick::runtime
