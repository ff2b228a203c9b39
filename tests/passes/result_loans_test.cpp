#include "wick/passes/result_loans.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace wick::passes {
namespace {

constexpr size_t kPage = 4096;

/// The most bytes of blocks that are not lent a buffer.
size_t peak_without_lent(const std::vector<ArenaBlock>& blocks, const std::vector<int>& homes) {
  size_t peak = 0;
  for (int position = 0; position < 64; ++position) {
    size_t live = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const bool is_there = blocks[i].begin <= position && position <= blocks[i].end;
      if (is_there && homes[i] < 0) live += blocks[i].bytes;
    }
    peak = std::max(peak, live);
  }
  return peak;
}

TEST(ResultLoans, EndBeforeTheResultIsWritten) {
  const std::vector<ArenaBlock> blocks = {{.bytes = kPage, .begin = 0, .end = 4}};

  EXPECT_EQ(lend_results(blocks, {{.bytes = kPage, .free_before = 4}}), std::vector<int>{-1});
  EXPECT_EQ(lend_results(blocks, {{.bytes = kPage, .free_before = 5}}), std::vector<int>{0});
  EXPECT_EQ(lend_results(blocks, {{.bytes = kPage - 4, .free_before = 5}}), std::vector<int>{-1});
  EXPECT_EQ(lend_results(blocks, {}), std::vector<int>{-1});
  EXPECT_TRUE(lend_results({}, {{.bytes = kPage, .free_before = 5}}).empty());
}

TEST(ResultLoans, FollowEachOtherInOneBuffer) {
  const std::vector<ArenaBlock> blocks = {{.bytes = kPage, .begin = 0, .end = 1},
                                          {.bytes = kPage, .begin = 2, .end = 3},
                                          {.bytes = kPage, .begin = 3, .end = 4}};

  const std::vector<int> homes = lend_results(blocks, {{.bytes = kPage, .free_before = 9}});

  EXPECT_EQ(std::ranges::count(homes, 0), 2);
  EXPECT_EQ(peak_without_lent(blocks, homes), kPage);
}

/// Both buffers have room for the short block, one has for the long one.
TEST(ResultLoans, LeaveBuffersThatAreFreeForLongToLongBlocks) {
  const std::vector<ArenaBlock> blocks = {{.bytes = kPage, .begin = 0, .end = 6},
                                          {.bytes = kPage, .begin = 0, .end = 2}};

  EXPECT_EQ(lend_results(blocks,
                         {{.bytes = kPage, .free_before = 8}, {.bytes = kPage, .free_before = 3}}),
            (std::vector<int>{0, 1}));
}

TEST(ResultLoans, LeaveAloneWhatLowersNoPeak) {
  const std::vector<ArenaBlock> blocks = {{.bytes = 8 * kPage, .begin = 0, .end = 1},
                                          {.bytes = kPage, .begin = 5, .end = 6}};

  EXPECT_EQ(lend_results(blocks, {{.bytes = kPage, .free_before = 9}}), (std::vector<int>{-1, -1}));
}

TEST(ResultLoans, NeverMeetAndNeverRaiseThePeak) {
  int lent = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    std::vector<ArenaBlock> blocks;
    for (int i = below(40); i >= 0; --i) {
      const int begin = below(50);
      blocks.push_back({.bytes = kPage * static_cast<size_t>(1 + below(5)),
                        .begin = begin,
                        .end = begin + below(14)});
    }
    std::vector<ResultLoan> loans;
    for (int i = below(8); i > 0; --i)
      loans.push_back(
          {.bytes = kPage * static_cast<size_t>(1 + below(5)), .free_before = below(64)});

    const std::vector<int> homes = lend_results(blocks, loans);

    ASSERT_EQ(homes.size(), blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (homes[i] < 0) continue;
      ++lent;
      const ResultLoan& loan = loans.at(static_cast<size_t>(homes[i]));
      ASSERT_LE(blocks[i].bytes, loan.bytes) << "seed " << seed;
      ASSERT_LT(blocks[i].end, loan.free_before) << "seed " << seed;
      for (size_t j = 0; j < i; ++j) {
        const bool meet = blocks[j].begin <= blocks[i].end && blocks[i].begin <= blocks[j].end;
        ASSERT_FALSE(homes[j] == homes[i] && meet) << "seed " << seed;
      }
    }
    const std::vector<int> none(blocks.size(), -1);
    ASSERT_LE(peak_without_lent(blocks, homes), peak_without_lent(blocks, none));
  }
  EXPECT_GT(lent, 500);
}

}  // namespace
}  // namespace wick::passes
