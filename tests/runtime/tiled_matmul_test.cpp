// Products in tiles of registers against the interpreter: sides that fill no tile, block or piece.

#include "wick/runtime/tiled_matmul.h"

#include <array>
#include <limits>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/parallel.h"
#include "wick/runtime/validate.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

/// By the lanes of vectors.
class TiledMatmul : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    if (vector_lanes() < GetParam()) GTEST_SKIP() << "no such vectors";
  }

  static Literal run_on(int threads, const LibraryOp& op, const std::vector<Literal>& operands) {
    const ThreadsOption option(threads);
    const ThreadCountScope scope(threads);
    return run(*make_tiled_matmul(matmul_shape(op), GetParam()), op, operands);
  }

  static void expect_right(const LibraryOp& op);
};

INSTANTIATE_TEST_SUITE_P(Lanes, TiledMatmul, testing::Values(8, 16));

void TiledMatmul::expect_right(const LibraryOp& op) {
  const std::vector<Literal> operands = random_operands(op);
  const Literal got = run_on(1, op, operands);

  const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
  EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
  for (const int threads : {2, 3, 7})
    EXPECT_TRUE(run_on(threads, op, operands) == got) << describe(op) << " on " << threads;
}

TEST_P(TiledMatmul, TakesAllTransposesAndExtents) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                   {6, 16, 8},
                                                                   {5, 17, 9},
                                                                   {13, 31, 7},
                                                                   {16, 8, 64},
                                                                   {150, 33, 391},
                                                                   {97, 530, 40},
                                                                   {301, 20, 769},
                                                                   {40, 2070, 11},
                                                                   {60, 200, 1100},
                                                                   {1500, 40, 600}}) {
    for (const bool lhs : {false, true}) {
      for (const bool rhs : {false, true})
        expect_right(make_product(m, n, k, lhs, rhs));
    }
  }
}

/// More rows than a core's cache has room for, and more columns than are copied at a time.
TEST_P(TiledMatmul, TakesSeveralBlocksOfBothSides) {
  expect_right(make_product(560, 2060, 600, false, false));
}

TEST_P(TiledMatmul, TakesBatches) {
  expect_right(make_product({5, 37, 20}, {5, 20, 50}, false, false));
  expect_right(make_product({3, 20, 101}, {3, 60, 20}, true, true));
  expect_right(make_product({2, 3, 16, 7}, {2, 1, 7, 33}, false, false));
  expect_right(make_product({70, 16}, {4, 70, 256}, true, false));
}

/// Neither the zeros that fill up panels nor lanes beyond the last column may meet them.
TEST_P(TiledMatmul, KeepsWhatIsNotFiniteInItsRowsAndColumns) {
  const LibraryOp op = make_product(7, 19, 5, false, false);
  std::vector<Literal> operands = random_operands(op);
  operands[0].mutable_values<float>()[0] = std::numeric_limits<float>::infinity();
  operands[1].mutable_values<float>()[18] = std::numeric_limits<float>::quiet_NaN();
  const Literal got = run_on(1, op, operands);

  const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
  EXPECT_FALSE(differs) << *differs;
}

}  // namespace
}  // namespace wick::runtime
