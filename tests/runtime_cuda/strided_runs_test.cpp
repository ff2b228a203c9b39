#include "wick/runtime/cuda/strided_runs.h"

#include <gtest/gtest.h>

namespace wick::runtime::cuda {
namespace {

MatmulShape batch(std::vector<int64_t> lhs_offsets, std::vector<int64_t> rhs_offsets) {
  return {.m = 2,
          .n = 3,
          .k = 4,
          .lhs_offsets = std::move(lhs_offsets),
          .rhs_offsets = std::move(rhs_offsets)};
}

TEST(StridedRuns, OneProductIsOneRun) {
  const StridedRuns runs = strided_runs(batch({0}, {0}));

  EXPECT_EQ(runs.length, 1);
  EXPECT_EQ(runs.lhs_starts, std::vector<int64_t>{0});
}

TEST(StridedRuns, ADenseBatchIsOneRun) {
  const StridedRuns runs = strided_runs(batch({0, 8, 16, 24}, {0, 12, 24, 36}));

  EXPECT_EQ(runs.length, 4);
  EXPECT_EQ(runs.lhs_stride, 8);
  EXPECT_EQ(runs.rhs_stride, 12);
  EXPECT_EQ(runs.lhs_starts, std::vector<int64_t>{0});
}

TEST(StridedRuns, ASharedOperandHasStrideZero) {
  const StridedRuns runs = strided_runs(batch({0, 8, 16}, {0, 0, 0}));

  EXPECT_EQ(runs.length, 3);
  EXPECT_EQ(runs.rhs_stride, 0);
}

TEST(StridedRuns, AnOperandBroadcastAlongTheInnerAxisGivesARunForEachOuterIndex) {
  // lhs [2,3,2,4], rhs [2,1,4,3]
  const StridedRuns runs = strided_runs(batch({0, 8, 16, 24, 32, 40}, {0, 0, 0, 12, 12, 12}));

  EXPECT_EQ(runs.length, 3);
  EXPECT_EQ(runs.lhs_stride, 8);
  EXPECT_EQ(runs.rhs_stride, 0);
  EXPECT_EQ(runs.lhs_starts, (std::vector<int64_t>{0, 24}));
  EXPECT_EQ(runs.rhs_starts, (std::vector<int64_t>{0, 12}));
}

TEST(StridedRuns, AnOperandBroadcastAlongTheOuterAxisToo) {
  // lhs [2,3,2,4], rhs [1,3,4,3]
  const StridedRuns runs = strided_runs(batch({0, 8, 16, 24, 32, 40}, {0, 12, 24, 0, 12, 24}));

  EXPECT_EQ(runs.length, 3);
  EXPECT_EQ(runs.rhs_stride, 12);
  EXPECT_EQ(runs.rhs_starts, (std::vector<int64_t>{0, 0}));
}

TEST(StridedRuns, WithoutARegularPatternEachProductStandsAlone) {
  const StridedRuns runs = strided_runs(batch({0, 8, 8, 24}, {0, 12, 24, 36}));

  EXPECT_EQ(runs.length, 1);
  EXPECT_EQ(runs.lhs_starts, (std::vector<int64_t>{0, 8, 8, 24}));
}

}  // namespace
}  // namespace wick::runtime::cuda
