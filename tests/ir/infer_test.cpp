#include <gtest/gtest.h>

#include "wick/ir/op.h"
#include "wick/ir/parser.h"

namespace wick::ir {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40U;

/// The text of the error of an op over these operand types.
std::string error_of(OpKind op, const std::vector<Type>& operands, const Attributes& attributes) {
  std::vector<const Type*> types;
  for (const Type& type : operands) {
    types.push_back(&type);
  }
  try {
    const Type result = infer_type(op, types, attributes, {"train.cpp", 41, 12});
    return "no error, but " + to_string(result);
  } catch (const Error& error) {
    return error.what();
  }
}

struct Case {
  OpKind op;
  std::vector<Type> operands;
  Attributes attributes;
  std::string_view text;
};

const Type kF23{DType::f32, {2, 3}};
const Type kF2{DType::f32, {2}};
const Type kF4{DType::f32, {4}};
const Type kI2{DType::i32, {2}};
const Type kB2{DType::bool_, {2}};
const Type kScalar{DType::f32, {}};
const Type kImage{DType::f32, {1, 4, 5, 5}};

using Ints = std::vector<int64_t>;

void expect_errors(const std::vector<Case>& cases) {
  for (const Case& wrong : cases) {
    EXPECT_EQ(error_of(wrong.op, wrong.operands, wrong.attributes),
              "train.cpp:41:12: error: " + std::string(wrong.text));
  }
}

TEST(Infer, ElementwiseErrorsNameTheTypes) {
  expect_errors({
      {OpKind::add, {kF23, kF4}, {}, "add: shapes do not broadcast: f32[2,3] and f32[4]"},
      {OpKind::add, {kF2, kI2}, {}, "add: dtypes differ: f32[2] and i32[2]"},
      {OpKind::add, {kF2}, {}, "add: takes 2 operands, got 1: f32[2]"},
      {OpKind::neg, {kB2}, {}, "neg: needs a numeric operand, got bool[2]"},
      {OpKind::exp, {kI2}, {}, "exp: needs a float operand, got i32[2]"},
      {OpKind::logical_not, {kI2}, {}, "logical_not: needs a bool operand, got i32[2]"},
      {OpKind::shift_left, {kB2, kB2}, {}, "shift_left: needs an integer operand, got bool[2]"},
      {OpKind::bit_and, {kF2, kF2}, {}, "bit_and: needs an integer or bool operand, got f32[2]"},
      {OpKind::cast, {kF2}, {}, "cast: attribute dtype is missing"},
      {OpKind::where, {kF2, kF2, kF2}, {}, "where: condition should be bool, got f32[2]"},
      {OpKind::where, {kB2, kF2, kI2}, {}, "where: dtypes differ: f32[2] and i32[2]"},
      {OpKind::where,
       {kB2, kF4, kScalar},
       {},
       "where: shapes do not broadcast: bool[2], f32[4] and f32[]"},
      {OpKind::add,
       {{DType::f32, {kHuge, 1}}, {DType::f32, {1, kHuge}}},
       {},
       "add: result f32[1099511627776,1099511627776] has too many elements"},
  });
}

TEST(Infer, ReductionErrorsNameTheAxes) {
  expect_errors({
      {OpKind::reduce_sum,
       {kF23},
       {{"axes", Ints{5}}},
       "reduce_sum: axis 5 is out of range for f32[2,3]"},
      {OpKind::reduce_sum,
       {kF23},
       {{"axes", Ints{-1}}},
       "reduce_sum: axis -1 is out of range for f32[2,3]"},
      {OpKind::reduce_sum,
       {kF23},
       {{"axes", Ints{1, 1}}},
       "reduce_sum: axes [1,1] should rise, each once"},
      {OpKind::reduce_max,
       {{DType::f32, {0, 3}}},
       {{"axes", Ints{0}}},
       "reduce_max: no elements to reduce in f32[0,3] over axes [0]"},
      {OpKind::argmax,
       {{DType::f32, {0}}},
       {{"axes", Ints{0}}},
       "argmax: no elements to reduce in f32[0] over axes [0]"},
  });
}

TEST(Infer, MovementErrorsNameShapesAndAttributes) {
  expect_errors({
      {OpKind::broadcast,
       {kF2},
       {{"shape", Ints{2, 4}}},
       "broadcast: f32[2] does not broadcast to [2,4]"},
      {OpKind::broadcast,
       {kF2},
       {{"shape", Ints{1}}},
       "broadcast: f32[2] does not broadcast to [1]"},
      {OpKind::broadcast, {kF2}, {}, "broadcast: attribute shape is missing"},
      {OpKind::reshape,
       {kF23},
       {{"shape", Ints{4, 2}}},
       "reshape: f32[2,3] has 6 elements, shape [4,2] has 8"},
      {OpKind::reshape,
       {kF23},
       {{"shape", Ints{-2, -3}}},
       "reshape: shape [-2,-3] has a negative extent"},
      {OpKind::reshape,
       {kF23},
       {{"shape", Ints{kHuge, kHuge}}},
       "reshape: shape [1099511627776,1099511627776] has too many elements"},
      {OpKind::permute,
       {kF23},
       {{"axes", Ints{0, 0}}},
       "permute: axes [0,0] are not a permutation of the axes of f32[2,3]"},
      {OpKind::slice,
       {kF4},
       {{"starts", Ints{2}}, {"sizes", Ints{3}}},
       "slice: start 2, size 3, step 1 leave axis 0 of f32[4]"},
      {OpKind::slice,
       {kF4},
       {{"starts", Ints{2}}, {"sizes", Ints{4}}, {"steps", Ints{-1}}},
       "slice: start 2, size 4, step -1 leave axis 0 of f32[4]"},
      {OpKind::slice,
       {kF4},
       {{"starts", Ints{0}}, {"sizes", Ints{1}}, {"steps", Ints{0}}},
       "slice: step of axis 0 is 0"},
      {OpKind::slice, {kF4}, {{"sizes", Ints{-1}}}, "slice: size -1 of axis 0 is negative"},
      {OpKind::slice, {kF23}, {{"sizes", Ints{1}}}, "slice: sizes [1] should have 2 numbers"},
      {OpKind::concat,
       {kF23, kF2},
       {{"axis", int64_t{0}}},
       "concat: f32[2,3] and f32[2] differ beside axis 0"},
      {OpKind::concat, {kF2, kI2}, {}, "concat: dtypes differ: f32[2] and i32[2]"},
      {OpKind::argsort,
       {kF23},
       {{"axis", int64_t{1}}, {"start", int64_t{4}}},
       "argsort: start 4 is not within axis 1 of f32[2,3]"},
      {OpKind::argsort,
       {kF23},
       {{"axis", int64_t{1}}, {"start", int64_t{-1}}},
       "argsort: start -1 is not within axis 1 of f32[2,3]"},
      {OpKind::argsort,
       {kF23},
       {{"axis", int64_t{1}}, {"start", int64_t{1}}, {"count", int64_t{3}}},
       "argsort: count 3 from 1 on leaves axis 1 of f32[2,3]"},
      {OpKind::argsort,
       {kF4},
       {{"count", int64_t{-1}}},
       "argsort: count -1 from 0 on leaves axis 0 of f32[4]"},
      {OpKind::concat, {kScalar}, {}, "concat: axis 0 is out of range for f32[]"},
      {OpKind::concat, {}, {}, "concat: takes 1 or more operands, got 0: nothing"},
      {OpKind::pad, {kF2, kF2}, {}, "pad: value should be a scalar, got f32[2]"},
      {OpKind::pad,
       {kF2, kScalar},
       {{"low", Ints{-2}}, {"high", Ints{-1}}},
       "pad: low -2, high -1 crop more than axis 0 of f32[2]"},
      {OpKind::pad,
       {kF2, kScalar},
       {{"interior", Ints{-1}}},
       "pad: interior -1 of axis 0 is negative"},
      {OpKind::gather, {kF23, kF2}, {}, "gather: indices should be i32 or i64, got f32[2]"},
      {OpKind::gather,
       {kF23, kI2},
       {{"axis", int64_t{2}}},
       "gather: axis 2 is out of range for f32[2,3]"},
      {OpKind::gather,
       {{DType::f32, {0, 3}}, kI2},
       {},
       "gather: axis 0 of f32[0,3] has no elements"},
      {OpKind::gather,
       {kF23, kI2},
       {{"along", true}, {"axis", int64_t{1}}},
       "gather: indices i32[2] do not fit f32[2,3] beside axis 1"},
      {OpKind::gather,
       {kF23, {DType::i32, {3, 3}}},
       {{"along", true}, {"axis", int64_t{1}}},
       "gather: indices i32[3,3] do not fit f32[2,3] beside axis 1"},
      {OpKind::scatter,
       {kF23, kI2, kF23},
       {{"axis", int64_t{1}}},
       "scatter: updates f32[2,3] should have shape [2,2]"},
      {OpKind::scatter,
       {kF23, {DType::i32, {2, 4}}, kF23},
       {{"along", true}, {"axis", int64_t{1}}},
       "scatter: updates f32[2,3] should have shape [2,4]"},
      {OpKind::scatter,
       {kF23, {DType::i32, {3, 3}}, kF23},
       {{"along", true}, {"axis", int64_t{1}}},
       "scatter: indices i32[3,3] do not fit f32[2,3] beside axis 1"},
  });
}

TEST(Infer, ContractionErrorsNameTheExtents) {
  expect_errors({
      {OpKind::matmul,
       {{DType::f32, {64, 784}}, {DType::f32, {512, 10}}},
       {},
       "matmul: inner extents differ: lhs f32[64,784] has k = 784, rhs f32[512,10] has k = 512"},
      {OpKind::matmul,
       {kF23, kF23},
       {{"transpose_lhs", true}, {"transpose_rhs", true}},
       "matmul: inner extents differ: lhs f32[2,3] has k = 2, rhs f32[2,3] has k = 3"},
      {OpKind::matmul,
       {kF23, kF2},
       {},
       "matmul: operands should have 2 axes or more: f32[2,3] and f32[2]"},
      {OpKind::matmul,
       {{DType::f32, {4, 2, 3}}, {DType::f32, {5, 3, 2}}},
       {},
       "matmul: leading axes do not broadcast: f32[4,2,3] and f32[5,3,2]"},
      {OpKind::conv, {kF23, kImage}, {}, "conv: x should have 3 to 5 axes, got f32[2,3]"},
      {OpKind::conv,
       {kImage, {DType::f32, {6, 3, 3, 3}}},
       {},
       "conv: channels differ: x f32[1,4,5,5] has 4, w f32[6,3,3,3] takes 3 in 1 group"},
      {OpKind::conv,
       {kImage, {DType::f32, {5, 2, 3, 3}}},
       {{"groups", int64_t{2}}},
       "conv: 5 output channels of w f32[5,2,3,3] do not divide into 2 groups"},
      {OpKind::conv,
       {kImage, {DType::f32, {6, 4, 7, 3}}},
       {},
       "conv: window of 7 is larger than axis 2 of f32[1,4,5,5] with padding 0"},
      {OpKind::conv,
       {kImage, {DType::f32, {6, 4, 3, 3}}},
       {{"stride", Ints{0, 1}}},
       "conv: stride 0 is out of range"},
      {OpKind::conv_input_grad,
       {{DType::f32, {1, 6, 2, 2}}, {DType::f32, {6, 4, 3, 3}}},
       {{"input_shape", Ints{1, 4, 5, 5}}},
       "conv_input_grad: cotangent f32[1,6,2,2] should have shape [1,6,3,3]"},
      {OpKind::conv_weight_grad,
       {kImage, {DType::f32, {1, 6, 2, 2}}},
       {{"weight_shape", Ints{6, 4, 3, 3}}},
       "conv_weight_grad: cotangent f32[1,6,2,2] should have shape [1,6,3,3]"},
      {OpKind::max_pool2d, {kImage}, {}, "max_pool2d: attribute kernel is missing"},
      {OpKind::max_pool2d,
       {kImage},
       {{"kernel", Ints{2, 2}}, {"padding", Ints{2, 0}}},
       "max_pool2d: padding 2 should be less than kernel 2"},
      {OpKind::max_pool2d_grad,
       {{DType::u8, {1, 4, 2, 2}}, {DType::f32, {1, 4, 5, 5}}},
       {{"input_shape", Ints{1, 4, 5, 5}}, {"kernel", Ints{2, 2}}},
       "max_pool2d_grad: cotangent f32[1,4,5,5] should have shape [1,4,2,2]"},
      {OpKind::max_pool2d_grad,
       {kImage, {DType::f32, {1, 4, 2, 2}}},
       {{"input_shape", Ints{1, 4, 5, 5}}, {"kernel", Ints{2, 2}}},
       "max_pool2d_grad: the numbers of elements should be u8[1,4,2,2], got f32[1,4,5,5]"},
      {OpKind::max_pool2d_grad,
       {{DType::u8, {1, 4, 1, 1}}, {DType::f32, {1, 4, 1, 1}}},
       {{"input_shape", Ints{1, 4, 17, 17}}, {"kernel", Ints{17, 17}}},
       "max_pool2d_grad: the numbers of elements should be i32[1,4,1,1], got u8[1,4,1,1]"},
      {OpKind::avg_pool2d,
       {{DType::i32, {1, 1, 2, 2}}},
       {{"kernel", Ints{2, 2}}},
       "avg_pool2d: needs a float operand, got i32[1,1,2,2]"},
  });
}

TEST(Infer, SourceErrors) {
  const Type key{DType::i64, {}};
  expect_errors({
      {OpKind::constant, {}, {}, "constant: attribute value is missing"},
      {OpKind::iota,
       {},
       {{"dtype", DType::i32}, {"shape", Ints{}}},
       "iota: axis 0 is out of range for i32[]"},
      {OpKind::iota,
       {},
       {{"dtype", DType::bool_}, {"shape", Ints{2}}},
       "iota: dtype should be numeric, got bool"},
      {OpKind::random_bits,
       {key, kScalar},
       {{"shape", Ints{2}}},
       "random_bits: key and offset should be i64[], got f32[]"},
  });
}

TEST(Infer, ReductionsOfEmptyResultsAreFine) {
  const Type empty{DType::f32, {0, 3}};
  const Type* operands[] = {&empty};

  EXPECT_EQ(infer_type(OpKind::reduce_max, operands, {{"axes", Ints{1}}}, {}),
            (Type{DType::f32, {0}}));
  EXPECT_EQ(infer_type(OpKind::reduce_sum, operands, {{"axes", Ints{0}}}, {}),
            (Type{DType::f32, {3}}));
}

TEST(Error, LeavesOutAnUnknownPlace) {
  const Error error({}, "add", "text");

  EXPECT_STREQ(error.what(), "error: add: text");
  EXPECT_EQ(error.op(), "add");
  EXPECT_EQ(error.text(), "text");
}

TEST(Check, NamesThePlace) {
  try {
    check(false, "something holds");
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string_view(error.what()).find("infer_test.cpp:"), std::string_view::npos);
    EXPECT_TRUE(std::string_view(error.what()).ends_with(": broken invariant: something holds"));
  }
}

}  // namespace
}  // namespace wick::ir
