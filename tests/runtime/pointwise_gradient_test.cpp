// Gradients of the weights of pointwise convolutions against the interpreter, on random layers.

#include "wick/runtime/pointwise_gradient.h"

#include <array>
#include <random>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/library_call.h"
#include "wick/runtime/validate.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {
namespace {

using Axis = std::vector<int64_t>;

LibraryOp random_gradient(std::mt19937_64& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const int64_t block = draw(0, 1) == 0 ? 8 : 16;
  const int64_t inputs = block * draw(1, 5);
  const Axis x = {draw(1, 40), inputs, draw(1, 12), draw(1, 40)};
  return make_weight_gradient(
      x, {block * draw(1, 5), inputs, 1, 1}, block, {{"stride", Axis{draw(1, 3), draw(1, 3)}}});
}

TEST(PointwiseGradient, AgreesWithTheInterpreterOnRandomLayers) {
  constexpr int kLayers = 100;
  std::mt19937_64 random(13);
  for (int i = 0; i < kLayers; ++i) {
    const LibraryOp op = random_gradient(random);
    const int64_t block = op.operands[0].shape[4];
    ASSERT_EQ(is_pointwise_gradient(op), block <= vector_lanes()) << describe(op);
    if (block > vector_lanes()) continue;
    const std::vector<Literal> operands = random_operands(op);
    const Literal got = run(*make_pointwise_gradient(op), op, operands);

    const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
    EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
  }
}

/// With planes that are cut, planes that are summed up together, and rows that are.
TEST(PointwiseGradient, GivesTheSameBitsOnAnyNumberOfThreads) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  for (const Axis& x : {Axis{2, 24, 61, 40}, Axis{70, 24, 3, 7}, Axis{5, 24, 40, 41}}) {
    const int64_t stride = x[3] == 41 ? 2 : 1;
    const LibraryOp op =
        make_weight_gradient(x, {72, 24, 1, 1}, 8, {{"stride", Axis{stride, stride}}});
    const std::vector<Literal> operands = random_operands(op);
    const auto run_on = [&](int threads) {
      const ThreadsOption option(threads);
      return run(*make_pointwise_gradient(op), op, operands);
    };

    const Literal expected = run_on(1);
    const auto differs = difference(interpret(op, operands), expected, /*exact_integers=*/true);
    EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
    EXPECT_TRUE(run_on(2) == expected) << describe(op);
    EXPECT_TRUE(run_on(5) == expected) << describe(op);
  }
}

TEST(PointwiseGradient, IsForWholeBlocksAndWindowsOfOnePixel) {
  const auto is_taken = [](const Axis& x, const Axis& w, int64_t block, ir::Attributes attributes) {
    return is_pointwise_gradient(make_weight_gradient(x, w, block, std::move(attributes)));
  };

  EXPECT_EQ(is_taken({1, 16, 9, 9}, {8, 16, 1, 1}, 8, {}), have_vectors());
  EXPECT_FALSE(is_taken({1, 16, 9, 9}, {8, 16, 3, 1}, 8, {}));
  EXPECT_FALSE(is_taken({1, 16, 9, 9}, {8, 16, 1, 1}, 1, {}));
  EXPECT_FALSE(is_taken({1, 16, 9, 9}, {8, 16, 1, 1}, 8, {{"padding", Axis{1, 1}}}));
  EXPECT_FALSE(is_taken({1, 16, 9, 9}, {16, 8, 1, 1}, 8, {{"groups", int64_t{2}}}));
}

}  // namespace
}  // namespace wick::runtime
