// Which launches of a plan may run side by side, of plans made by hand.

#include "wick/runtime/launch_groups.h"

#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

constexpr int64_t kElements = 100000;  // worth waking threads
constexpr size_t kBytes = kElements * sizeof(float);

class LaunchGroups : public testing::Test {
 protected:
  int value(Place place) {
    PlanValue& added = plan_.values.emplace_back();
    added.type = {DType::f32, {kElements}};
    added.place = place;
    return static_cast<int>(plan_.values.size()) - 1;
  }

  int parameter(int index) { return value({.kind = Place::Kind::param, .index = index}); }

  /// The arena's piece of this number.
  int piece(size_t number) { return value({.offset = number * kBytes}); }

  void launch(std::vector<int> reads, std::vector<int> writes, int64_t work = kElements) {
    KernelStep kernel;
    kernel.task_extent = work;
    Step& step = plan_.steps.emplace_back();
    step.reads = std::move(reads);
    step.writes = std::move(writes);
    step.action = std::move(kernel);
  }

  void workspace(size_t offset, int step) {
    ArenaItem& item = plan_.tags.arena_items.emplace_back();
    item.offset = offset;
    item.bytes = kBytes;
    item.first_step = step;
    item.last_step = step;
    item.is_scratch = true;
  }

  std::vector<int> ends() { return find_launch_groups(plan_); }

  Plan plan_;
};

using Ends = std::vector<int>;

TEST_F(LaunchGroups, TakeWhatSharesNothingButOperands) {
  const int x = parameter(0);
  launch({x}, {piece(0)});
  launch({x, parameter(1)}, {piece(1)});
  launch({x}, {piece(2)});

  EXPECT_EQ(ends(), (Ends{3, 3, 3}));
}

TEST_F(LaunchGroups, TakeUpdatesInPlace) {
  for (int p = 0; p < 3; ++p)
    launch({parameter(p)}, {parameter(p)});

  EXPECT_EQ(ends(), (Ends{3, 3, 3}));
}

TEST_F(LaunchGroups, EndWhereAResultIsRead) {
  const int sum = piece(0);
  launch({parameter(0)}, {sum});
  launch({parameter(1)}, {piece(1)});
  launch({sum}, {piece(2)});
  launch({parameter(1)}, {piece(3)});

  EXPECT_EQ(ends(), (Ends{2, 2, 4, 4}));
}

TEST_F(LaunchGroups, EndWhereTheResultOfALaterOneIsRead) {
  const int sum = piece(1);
  launch({parameter(0)}, {piece(0)});
  launch({parameter(1)}, {sum});
  launch({sum}, {piece(2)});

  EXPECT_EQ(ends(), (Ends{2, 2, 3}));
}

TEST_F(LaunchGroups, EndWhereMemoryIsUsedAgain) {
  launch({piece(0)}, {piece(3)});
  launch({parameter(0)}, {value({.offset = kBytes - 64})});  // the end of piece 0

  EXPECT_EQ(ends(), (Ends{1, 2}));
}

TEST_F(LaunchGroups, EndWhereAResultIsWrittenTwice) {
  launch({parameter(0)}, {piece(0)});
  launch({parameter(1)}, {piece(0)});

  EXPECT_EQ(ends(), (Ends{1, 2}));
}

TEST_F(LaunchGroups, KeepResultsOfOneOffsetApartByTheirBuffers) {
  launch({parameter(0)}, {value({.kind = Place::Kind::result, .index = 0})});
  launch({parameter(0)}, {value({.kind = Place::Kind::result, .index = 1})});
  launch({parameter(0)}, {piece(0)});

  EXPECT_EQ(ends(), (Ends{3, 3, 3}));
}

TEST_F(LaunchGroups, EndWhereWorkspacesMeet) {
  launch({parameter(0)}, {piece(0)});
  launch({parameter(1)}, {piece(1)});
  launch({parameter(2)}, {piece(2)});
  workspace(3 * kBytes, 0);
  workspace(4 * kBytes, 1);
  workspace(3 * kBytes + kBytes / 2, 2);

  EXPECT_EQ(ends(), (Ends{2, 2, 3}));
}

TEST_F(LaunchGroups, EndAtACopy) {
  launch({parameter(0)}, {piece(0)});
  launch({parameter(1)}, {piece(1)});
  plan_.steps.back().action = CopyStep{};
  launch({parameter(0)}, {piece(2)});

  EXPECT_EQ(ends(), (Ends{1, 2, 3}));
}

TEST_F(LaunchGroups, AreWorthWakingThreads) {
  launch({parameter(0)}, {piece(0)}, 1000);
  launch({parameter(1)}, {piece(1)}, 1000);
  EXPECT_EQ(ends(), (Ends{1, 2}));

  for (size_t i = 2; i < 30; ++i)  // many small ones are, together
    launch({parameter(0)}, {piece(i)}, 5000);
  EXPECT_EQ(ends()[0], 30);
}

TEST_F(LaunchGroups, AreNotEndless) {
  for (size_t i = 0; i < 40; ++i)
    launch({parameter(0)}, {piece(i)});

  EXPECT_EQ(ends()[0], 32);
  EXPECT_EQ(ends()[32], 40);
}

}  // namespace
}  // namespace wick::runtime
