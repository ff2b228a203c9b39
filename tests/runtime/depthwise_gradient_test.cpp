// Gradients of the weights of depthwise convolutions against the interpreter, on random layers.

#include "wick/runtime/depthwise_gradient.h"

#include <array>
#include <random>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/channel_blocks.h"
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
  const auto rank = static_cast<size_t>(draw(1, 2));
  const int64_t block = std::array<int64_t, 3>{1, 8, 16}[static_cast<size_t>(draw(0, 2))];
  const int64_t channels = block * draw(block == 1 ? 2 : 1, block == 1 ? 20 : 3);
  Axis x = {draw(1, 5), channels};
  Axis w = {channels, 1};
  Axis stride;
  Axis padding;
  Axis dilation;
  for (size_t axis = 0; axis < rank; ++axis) {
    w.push_back(draw(1, 7));
    stride.push_back(draw(1, 4));
    padding.push_back(draw(0, 4));
    dilation.push_back(draw(1, 3));
    const int64_t reach = (w.back() - 1) * dilation.back() + 1;
    x.push_back(draw(reach, reach + (axis + 1 == rank ? 60 : 20)));
  }
  return make_weight_gradient(
      x,
      w,
      block,
      {{"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", channels}});
}

TEST(DepthwiseGradient, AgreesWithTheInterpreterOnRandomLayers) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  constexpr int kLayers = 200;
  std::mt19937_64 random(11);
  for (int i = 0; i < kLayers; ++i) {
    const LibraryOp op = random_gradient(random);
    const std::vector<Literal> operands = random_operands(op);
    const Literal expected = interpret(op, operands);
    const int64_t block = ir::channel_block(op.operands[0].shape, op.result.shape);
    for (const int64_t lanes : {8, 16}) {
      const auto call = make_depthwise_gradient_of_lanes(op, lanes);
      const bool is_divided = block == 1 || block % lanes == 0;
      ASSERT_EQ(call != nullptr, lanes <= vector_lanes() && is_divided) << describe(op);
      if (call == nullptr) continue;

      const auto differs = difference(expected, run(*call, op, operands), /*exact_integers=*/true);
      EXPECT_FALSE(differs) << describe(op) << ", " << lanes << " lanes: " << *differs;
    }
  }
}

/// So large that rows are laid out in strips, by few channels that the batch is cut for.
TEST(DepthwiseGradient, GivesTheSameBitsOnAnyNumberOfThreads) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  const ir::Attributes attributes = {
      {"padding", Axis{3, 3}}, {"stride", Axis{1, 2}}, {"groups", int64_t{16}}};
  for (const int64_t block : {1, 8}) {
    const LibraryOp op = make_weight_gradient({5, 16, 301, 300}, {16, 1, 7, 7}, block, attributes);
    const std::vector<Literal> operands = random_operands(op);
    const auto run_on = [&](int threads) {
      const ThreadsOption option(threads);
      return run(*make_depthwise_gradient(op), op, operands);
    };

    const Literal expected = run_on(1);
    EXPECT_TRUE(run_on(2) == expected);
    EXPECT_TRUE(run_on(5) == expected);
  }
}

TEST(DepthwiseGradient, LeavesOtherGroupsAndThreeAxesToOthers) {
  const auto is_taken = [](const Axis& x, const Axis& w, int64_t groups) {
    return make_depthwise_gradient(make_weight_gradient(x, w, 1, {{"groups", groups}})) != nullptr;
  };

  EXPECT_EQ(is_taken({1, 6, 9, 9}, {6, 1, 3, 3}, 6), have_vectors());
  EXPECT_FALSE(is_taken({1, 6, 9, 9}, {12, 1, 3, 3}, 6));
  EXPECT_FALSE(is_taken({1, 6, 9, 9}, {6, 2, 3, 3}, 3));
  EXPECT_FALSE(is_taken({1, 6, 9, 9, 9}, {6, 1, 3, 3, 3}, 6));
}

}  // namespace
}  // namespace wick::runtime
