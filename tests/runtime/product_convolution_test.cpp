// Convolutions as matrix products against the interpreter: of f64 there are no others.

#include <random>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/library_call.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

using Axis = std::vector<int64_t>;

enum class Direction { forward, input, weight };

LibraryOp make_layer(
    DType dtype, const Axis& x, const Axis& w, const ir::Attributes& attributes, Direction to) {
  const Type input{dtype, Shape(x)};
  const Type weight{dtype, Shape(w)};
  LibraryOp forward = make_op(ir::OpKind::conv, {input, weight}, attributes);
  if (to == Direction::forward) return forward;
  ir::Attributes of_gradient = attributes;
  if (to == Direction::input) {
    of_gradient.set("input_shape", x);
    return make_op(ir::OpKind::conv_input_grad, {forward.result, weight}, of_gradient);
  }
  of_gradient.set("weight_shape", w);
  return make_op(ir::OpKind::conv_weight_grad, {input, forward.result}, of_gradient);
}

/// With one to three axes and perhaps groups.
LibraryOp random_product_layer(std::mt19937_64& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  const int64_t groups = draw(1, 3);
  Axis x = {draw(1, 3), groups * draw(1, 3)};
  Axis w = {groups * draw(1, 4), x[1] / groups};
  Axis stride;
  Axis padding;
  Axis dilation;
  const int64_t rank = draw(1, 3);
  for (int64_t axis = 0; axis < rank; ++axis) {
    w.push_back(draw(1, 4));
    stride.push_back(draw(1, 3));
    padding.push_back(draw(0, 5));  // a window may lie in it as a whole
    dilation.push_back(draw(1, 2));
    x.push_back(draw((w.back() - 1) * dilation.back() + 1, 12));
  }
  const ir::Attributes attributes = {
      {"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}};
  return make_layer(draw(0, 3) == 0 ? DType::f32 : DType::f64,
                    x,
                    w,
                    attributes,
                    static_cast<Direction>(draw(0, 2)));
}

void expect_products_agree(const LibraryOp& op) {
  const std::vector<Literal> operands = random_operands(op);
  const auto call = make_product_convolution(op);
  ASSERT_NE(call, nullptr) << describe(op);

  const auto differs =
      difference(interpret(op, operands), run(*call, op, operands), /*exact_integers=*/true);
  EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
}

TEST(ProductConvolution, AgreesWithTheInterpreterOnRandomLayers) {
  constexpr int kLayers = 200;
  std::mt19937_64 random(11);
  for (int i = 0; i < kLayers; ++i)
    expect_products_agree(random_product_layer(random));
}

TEST(ProductConvolution, GoesOverLargeImagesInSteps) {
  // A row of the result takes 96 KB of the matrix.
  for (const Direction to : {Direction::forward, Direction::input, Direction::weight})
    expect_products_agree(make_layer(DType::f64, {2, 8, 40, 64}, {3, 8, 5, 5}, {}, to));
}

TEST(ProductConvolution, LeavesBlocksOfChannelsAndHalfTypesToOthers) {
  const ir::Attributes blocks = {{"block", int64_t{8}}};
  const auto make = [](DType dtype, const Shape& x, const Shape& w, const ir::Attributes& with) {
    return make_product_convolution(make_op(ir::OpKind::conv, {{dtype, x}, {dtype, w}}, with));
  };

  EXPECT_EQ(make(DType::f32, {1, 1, 9, 9, 8}, {8, 8, 3, 3}, blocks), nullptr);
  EXPECT_EQ(make(DType::f16, {1, 2, 9, 9}, {4, 2, 3, 3}, {}), nullptr);
  EXPECT_NE(make(DType::f32, {1, 2, 9, 9}, {4, 2, 3, 3}, {}), nullptr);
}

}  // namespace
}  // namespace wick::runtime
