// Convolutions along the rows of images against the interpreter, on random layers: builds without
// oneDNN have no other.

#include "wick/runtime/row_convolution.h"

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

/// A convolution of images with one or two axes, or the gradient of its input.
LibraryOp random_layer(std::mt19937_64& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const auto rank = static_cast<size_t>(draw(1, 2));
  const int64_t groups = draw(0, 1) == 0 ? 1 : draw(2, 5);
  const int64_t inputs = draw(1, groups == 1 ? 9 : 3);
  Axis x = {draw(1, 2), groups * inputs};
  Axis w = {groups * draw(1, groups == 1 ? 14 : 3), inputs};
  Axis stride;
  Axis padding;
  Axis dilation;
  for (size_t axis = 0; axis < rank; ++axis) {
    w.push_back(draw(1, 4));
    stride.push_back(draw(1, 4));
    padding.push_back(draw(0, 3));
    dilation.push_back(draw(1, 2));
    const int64_t reach = (w.back() - 1) * dilation.back() + 1;
    x.push_back(draw(reach, axis + 1 == rank ? 130 : 20));
  }
  const ir::Attributes attributes = {
      {"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}};
  const Type input{DType::f32, Shape(x)};
  const Type weight{DType::f32, Shape(w)};
  LibraryOp forward = make_op(ir::OpKind::conv, {input, weight}, attributes);
  if (draw(0, 1) == 0) return forward;
  ir::Attributes of_gradient = attributes;
  of_gradient.set("input_shape", x);
  return make_op(ir::OpKind::conv_input_grad, {forward.result, weight}, of_gradient);
}

TEST(RowConvolution, AgreesWithTheInterpreterOnRandomLayers) {
  if (!have_vectors()) GTEST_SKIP() << "no AVX2";
  constexpr int kLayers = 250;
  std::mt19937_64 random(7);
  for (int i = 0; i < kLayers; ++i) {
    const LibraryOp op = random_layer(random);
    const std::vector<Literal> operands = random_operands(op);
    const Literal expected = interpret(op, operands);
    for (const int64_t lanes : {8, 16}) {
      const auto call = make_row_convolution_of_lanes(op, lanes);
      ASSERT_EQ(call != nullptr, lanes <= vector_lanes()) << describe(op);
      if (call == nullptr) continue;

      const auto differs = difference(expected, run(*call, op, operands), /*exact_integers=*/true);
      EXPECT_FALSE(differs) << describe(op) << ", " << lanes << " lanes: " << *differs;
    }
  }
}

TEST(RowConvolution, LeavesBlocksAndThreeAxesToOthers) {
  const auto is_taken = [](const Shape& x, const Shape& w, ir::Attributes attributes) {
    return make_row_convolution(make_op(
               ir::OpKind::conv, {{DType::f32, x}, {DType::f32, w}}, std::move(attributes))) !=
           nullptr;
  };

  EXPECT_EQ(is_taken({1, 4, 9, 9}, {2, 4, 3, 3}, {}), have_vectors());
  EXPECT_EQ(is_taken({1, 4, 9, 9}, {2, 2, 3, 3}, {{"groups", int64_t{2}}}), have_vectors());
  EXPECT_FALSE(is_taken({1, 1, 9, 9, 8}, {8, 8, 3, 3}, {{"block", int64_t{8}}}));
  EXPECT_FALSE(is_taken({1, 2, 5, 5, 5}, {2, 2, 3, 3, 3}, {}));
}

}  // namespace
}  // namespace wick::runtime
