// Pointwise convolutions and their gradients against the interpreter, on random layers.

#include "wick/runtime/pointwise.h"

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

/// A convolution and the gradients of its inputs and of its weights.
std::array<LibraryOp, 3> ops_of(const Axis& x,
                                const Axis& w,
                                int64_t block,
                                const ir::Attributes& attributes) {
  const LibraryOp of_weights = make_weight_gradient(x, w, block, attributes);
  ir::Attributes forward = attributes;
  forward.set("block", block);
  ir::Attributes of_inputs = forward;
  of_inputs.set("input_shape", x);
  const Type weights{DType::f32, Shape(w)};
  const auto& [inputs, cotangents] = std::pair(of_weights.operands[0], of_weights.operands[1]);
  return {make_op(ir::OpKind::conv, {inputs, weights}, forward),
          make_op(ir::OpKind::conv_input_grad, {cotangents, weights}, of_inputs),
          of_weights};
}

std::unique_ptr<HostCall> make_call(const LibraryOp& op) {
  return op.op == ir::OpKind::conv_weight_grad ? make_pointwise_gradient(op)
                                               : make_pointwise_convolution(op);
}

std::array<LibraryOp, 3> random_ops(std::mt19937_64& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const int64_t block = draw(0, 1) == 0 ? 8 : 16;
  const int64_t inputs = block * draw(1, 5);
  const Axis x = {draw(1, 12), inputs, draw(1, 12), draw(1, 40)};
  const Axis stride = draw(0, 1) == 0 ? Axis{1, 1} : Axis{draw(1, 3), draw(1, 3)};
  return ops_of(x, {block * draw(1, 5), inputs, 1, 1}, block, {{"stride", stride}});
}

void expect_right(const LibraryOp& op, const std::vector<Literal>& operands, const Literal& got) {
  const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
  EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
}

TEST(Pointwise, AgreesWithTheInterpreterOnRandomLayers) {
  constexpr int kLayers = 40;
  std::mt19937_64 random(13);
  for (int i = 0; i < kLayers; ++i) {
    for (const LibraryOp& op : random_ops(random)) {
      const int64_t block = op.operands[0].shape[4];
      ASSERT_EQ(is_pointwise(op), block <= vector_lanes()) << describe(op);
      if (block > vector_lanes()) continue;
      const std::vector<Literal> operands = random_operands(op);
      expect_right(op, operands, run(*make_call(op), op, operands));
    }
  }
}

/// With planes that are cut, planes that are summed up together, windows that skip pixels, and more
/// weights than a core's cache has room for.
TEST(Pointwise, GivesTheSameBitsOnAnyNumberOfThreads) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  for (const Axis& x :
       {Axis{2, 24, 61, 40}, Axis{70, 24, 3, 7}, Axis{5, 24, 40, 41}, Axis{1, 1024, 29, 25}}) {
    const int64_t stride = x[3] == 40 || x[0] == 70 ? 1 : 2;
    const int64_t outputs = x[1] == 1024 ? 328 : 72;
    for (const LibraryOp& op :
         ops_of(x, {outputs, x[1], 1, 1}, 8, {{"stride", Axis{stride, stride}}})) {
      const std::vector<Literal> operands = random_operands(op);
      const auto run_on = [&](int threads) {
        const ThreadsOption option(threads);
        return run(*make_call(op), op, operands);
      };

      const Literal expected = run_on(1);
      expect_right(op, operands, expected);
      EXPECT_TRUE(run_on(2) == expected) << describe(op);
      EXPECT_TRUE(run_on(5) == expected) << describe(op);
    }
  }
}

TEST(Pointwise, IsForWholeBlocksAndWindowsOfOnePixel) {
  const auto expect_taken = [](bool expected,
                               const Axis& x,
                               const Axis& w,
                               int64_t block,
                               const ir::Attributes& attributes) {
    for (const LibraryOp& op : ops_of(x, w, block, attributes))
      EXPECT_EQ(is_pointwise(op), expected) << describe(op);
  };

  expect_taken(have_vectors(), {1, 16, 9, 9}, {8, 16, 1, 1}, 8, {});
  expect_taken(false, {1, 16, 9, 9}, {8, 16, 3, 1}, 8, {});
  expect_taken(false, {1, 16, 9, 9}, {8, 16, 1, 1}, 1, {});
  expect_taken(false, {1, 16, 9, 9}, {8, 16, 1, 1}, 8, {{"padding", Axis{1, 1}}});
  expect_taken(false, {1, 16, 9, 9}, {16, 8, 1, 1}, 8, {{"groups", int64_t{2}}});
}

}  // namespace
}  // namespace wick::runtime
