// How updates at indices are shared out.

#include "wick/runtime/index_shares.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "run_graph.h"
#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

using Indices = std::vector<int64_t>;

constexpr int64_t kSlices = 1000;

/// Each slice this many times, in order.
Indices in_order(int64_t times, int64_t slices = kSlices) {
  Indices indices;
  for (int64_t i = 0; i < slices * times; ++i)
    indices.push_back(i / times);
  return indices;
}

/// Every update is made by exactly one share, which has its slice.
void expect_all_made_once(const Indices& indices, const std::vector<IndexShare>& shares) {
  std::vector<int> made(indices.size());
  for (const IndexShare& share : shares) {
    for (int64_t i = share.begin; i < share.end; ++i) {
      const int64_t slice = indices[static_cast<size_t>(i)];
      if (slice >= share.first_slice && slice < share.end_slice) ++made[static_cast<size_t>(i)];
    }
  }
  EXPECT_EQ(made, std::vector<int>(indices.size(), 1));
}

int64_t visited(const std::vector<IndexShare>& shares) {
  return std::accumulate(
      shares.begin(), shares.end(), int64_t{0}, [](int64_t sum, const auto& share) {
        return sum + share.end - share.begin;
      });
}

TEST(IndexShares, OfIndicesInOrderHaveLittleInCommon) {
  const ThreadsOption option(3);
  const Indices indices = in_order(300);

  const std::vector<IndexShare> shares = share_indices(indices, kSlices, 3);

  EXPECT_EQ(shares.size(), 3);
  EXPECT_LT(visited(shares), static_cast<int64_t>(indices.size()) * 11 / 10);
  expect_all_made_once(indices, shares);
}

TEST(IndexShares, OfSlicesWithManyUpdatesAreRight) {
  const ThreadsOption option(3);
  constexpr int64_t kFew = 40;
  const Indices indices = in_order(9000, kFew);

  const std::vector<IndexShare> shares = share_indices(indices, kFew, 3);

  EXPECT_EQ(shares.size(), 3);
  expect_all_made_once(indices, shares);
}

TEST(IndexShares, AllowDisorderNearby) {
  const ThreadsOption option(2);
  Indices indices = in_order(300);
  std::mt19937 random(1);
  for (size_t begin = 0; begin + 700 <= indices.size(); begin += 700)
    std::shuffle(indices.begin() + static_cast<int64_t>(begin),
                 indices.begin() + static_cast<int64_t>(begin) + 700,
                 random);

  const std::vector<IndexShare> shares = share_indices(indices, kSlices, 2);

  EXPECT_EQ(shares.size(), 2);
  expect_all_made_once(indices, shares);
}

TEST(IndexShares, AreNoneOfIndicesInNoOrder) {
  Indices indices = in_order(300);
  std::shuffle(indices.begin(), indices.end(), std::mt19937(1));
  EXPECT_TRUE(share_indices(indices, kSlices, 2).empty());
}

/// Blocks that are not looked at first have changed places.
TEST(IndexShares, AreNoneWhereThreadsWouldGoOverMuchTwice) {
  constexpr int64_t kBlock = 4096;
  const ThreadsOption option(8);
  Indices indices = in_order(300);
  std::swap_ranges(
      indices.begin() + kBlock, indices.begin() + 9 * kBlock, indices.begin() + 10 * kBlock);

  EXPECT_TRUE(share_indices(indices, kSlices, 8).empty());
}

TEST(IndexShares, AreRightWhereOrderIsReversed) {
  const ThreadsOption option(2);
  Indices indices = in_order(300);
  std::reverse(indices.begin() + 5000, indices.begin() + 36000);

  const std::vector<IndexShare> shares = share_indices(indices, kSlices, 2);

  EXPECT_EQ(shares.size(), 2);
  expect_all_made_once(indices, shares);
}

TEST(IndexShares, AreNoneOfFewIndices) {
  EXPECT_TRUE(share_indices(in_order(10), kSlices, 2).empty());
  EXPECT_TRUE(share_indices({}, kSlices, 2).empty());
}

TEST(IndexShares, OfOneSliceAreOne) {
  const Indices indices(200000, 7);

  const std::vector<IndexShare> shares = share_indices(indices, kSlices, 2);

  EXPECT_EQ(shares.size(), 1);
  expect_all_made_once(indices, shares);
}

}  // namespace
}  // namespace wick::runtime
