// Products that read their operands in place, along columns, rows and summands, against the
// interpreter: sides that fill no vector, tile, strip or block.

#include "wick/runtime/direct_matmul.h"

#include <array>
#include <cstring>
#include <limits>

#include "run_call.h"
#include "run_graph.h"
#include "support/guarded_pages.h"
#include <gtest/gtest.h>

#include "wick/runtime/parallel.h"
#include "wick/runtime/validate.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

std::vector<LibraryOp> products(int64_t m, int64_t n, int64_t k) {
  std::vector<LibraryOp> ops;
  for (const bool lhs : {false, true}) {
    for (const bool rhs : {false, true})
      ops.push_back(make_product(m, n, k, lhs, rhs));
  }
  return ops;
}

/// By the lanes of vectors.
class DirectMatmul : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    if (vector_lanes() < GetParam()) GTEST_SKIP() << "no such vectors";
  }

  static std::unique_ptr<HostCall> make(const LibraryOp& op) {
    return make_direct_matmul(matmul_shape(op), GetParam());
  }

  static Literal run_on(int threads, const LibraryOp& op, const std::vector<Literal>& operands) {
    const ThreadsOption option(threads);
    const ThreadCountScope scope(threads);
    return run(*make(op), op, operands);
  }

  static void expect_right(const LibraryOp& op) {
    const std::vector<Literal> operands = random_operands(op);
    const Literal got = run_on(1, op, operands);

    const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
    EXPECT_FALSE(differs) << describe(op) << ", " << make(op)->implementation() << ": " << *differs;
    for (const int threads : {2, 3, 7})
      EXPECT_TRUE(run_on(threads, op, operands) == got) << describe(op) << " on " << threads;
  }
};

INSTANTIATE_TEST_SUITE_P(Lanes, DirectMatmul, testing::Values(8, 16));

TEST_P(DirectMatmul, TakesAllTransposesAndExtents) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {1, 1, 1},      {1, 1, 300},   {1, 200, 7},  {3, 129, 5},   {4, 70, 33},   {6, 64, 9},
           {8, 33, 300},   {13, 32, 17},  {16, 16, 16}, {17, 100, 40}, {33, 17, 200}, {20, 35, 300},
           {200, 5, 1100}, {5, 90, 1030}, {150, 3, 29}, {40, 16, 16},  {31, 47, 520}, {700, 9, 21},
           {9, 1100, 64},  {64, 64, 513}, {2, 2, 2049}}) {
    for (const LibraryOp& op : products(m, n, k))
      expect_right(op);
  }
}

TEST_P(DirectMatmul, TakesEveryWidthAndHeightOfTiles) {
  for (int64_t m = 1; m <= 17; ++m) {
    for (int64_t n = 1; n <= 140; n += n < 16 ? 3 : 13)
      expect_right(make_product(m, n, 11, m % 2 == 0, n % 2 == 0));
  }
}

TEST_P(DirectMatmul, TakesBatches) {
  expect_right(make_product({5, 37, 20}, {5, 20, 50}, false, false));
  expect_right(make_product({9, 20, 11}, {9, 60, 20}, true, true));
  expect_right(make_product({2, 3, 16, 300}, {2, 1, 300, 3}, false, false));
  expect_right(make_product({70, 16}, {4, 70, 25}, true, false));
  expect_right(make_product({12, 4, 200}, {12, 5, 200}, false, true));
}

/// Neither lanes beyond the last column nor those of copies may meet them.
TEST_P(DirectMatmul, KeepsWhatIsNotFiniteInItsRowsAndColumns) {
  for (const int64_t k : {5, 300}) {
    for (const LibraryOp& op : products(7, 19, k)) {
      std::vector<Literal> operands = random_operands(op);
      operands[0].mutable_values<float>()[0] = std::numeric_limits<float>::infinity();
      operands[1].mutable_values<float>()[18] = std::numeric_limits<float>::quiet_NaN();
      const Literal got = run_on(1, op, operands);

      const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
      EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
    }
  }
}

TEST_P(DirectMatmul, TouchesNothingBehindItsOperandsAndResult) {
  const std::array<GuardedPages, 3> pages;
  for (const auto& [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{7, 19, 13}, {33, 3, 201}, {3, 33, 201}, {18, 40, 9}}) {
    for (const LibraryOp& op : products(m, n, k)) {
      const std::vector<Literal> operands = random_operands(op);
      std::array<const void*, 2> pointers{};
      for (size_t i = 0; i < 2; ++i) {
        void* at = pages[i].tail(op.operands[i].num_bytes());
        std::memcpy(at, operands[i].data(), op.operands[i].num_bytes());
        pointers[i] = at;
      }
      void* result = pages[2].tail(op.result.num_bytes());
      make(op)->run(pointers.data(), result, nullptr);

      const Literal expected = run_on(1, op, operands);
      EXPECT_EQ(std::memcmp(result, expected.data(), op.result.num_bytes()), 0) << describe(op);
    }
  }
}

/// Each of the three where it has the fewest multiplications of vectors.
TEST_P(DirectMatmul, LaysVectorsWhereTheyAreFilled) {
  const auto way_of = [](int64_t m, int64_t n, int64_t k, bool lhs, bool rhs) {
    return std::string(make(make_product(m, n, k, lhs, rhs))->implementation());
  };

  EXPECT_EQ(way_of(64, 64, 64, false, false), "direct matmul along columns");
  EXPECT_EQ(way_of(64, 64, 64, false, true), "direct matmul along columns");
  EXPECT_EQ(way_of(1000, 2, 50, true, false), "direct matmul along rows");
  EXPECT_EQ(way_of(2, 1000, 50, true, false), "direct matmul along columns");
  EXPECT_EQ(way_of(33, 5, 1000, false, true), "direct matmul along summands");
  EXPECT_EQ(way_of(256, 10, 1024, false, false), "direct matmul along summands");
  EXPECT_EQ(way_of(1000, 2, 1000, false, false), "direct matmul along summands");
  EXPECT_EQ(way_of(1, 1, 4096, true, false), "direct matmul along summands");
}

TEST(DirectMatmulShapes, IsForSmallOrNarrowProducts) {
  const auto may_be = [](int64_t m, int64_t n, int64_t k) {
    return may_be_direct(matmul_shape(make_product(m, n, k, false, false)));
  };

  EXPECT_EQ(may_be(100, 100, 100), have_vectors());
  EXPECT_EQ(may_be(5000, 8, 5000), have_vectors());
  EXPECT_EQ(may_be(256, 256, 256), vector_lanes() == 16);
  EXPECT_FALSE(may_be(1000, 1000, 1000));
  EXPECT_FALSE(may_be(1, 4096, 4096)) << "a kernel's, or read once from memory by any";
}

}  // namespace
}  // namespace wick::runtime
