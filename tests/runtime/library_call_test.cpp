// Every library call against the reference interpreter.

#include "wick/runtime/library_call.h"

#include <limits>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/runtime/host_cpu.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

using ir::Attributes;
using ir::OpKind;
using Ints = std::vector<int64_t>;

void expect_matmul(DType dtype, Shape lhs, Shape rhs, bool transpose_lhs, bool transpose_rhs) {
  expect_equal(make_product(std::move(lhs), std::move(rhs), transpose_lhs, transpose_rhs, dtype));
}

TEST(MatmulCall, TouchesNothingWhereThereIsNone) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const LibraryOp op = make_product({0, 3, 5}, {0, 4, 5}, false, true, dtype);
    const auto call = make_host_call(op, 1);
    std::vector<std::byte> scratch(call->scratch_bytes());
    const void* operands[] = {nullptr, nullptr};

    call->run(operands, nullptr, scratch.data());
  }
}

TEST(ConcatCall, JoinsAlongEveryAxis) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::bool_}) {
    for (const int64_t axis : {0, 1, 2}) {
      std::vector<Type> operands;
      for (const int64_t extent : {3, 0, 1, 8, 5, 2, 2, 17, 1}) {
        Shape shape{70, 9, 31};
        shape.set(static_cast<int>(axis), extent);
        operands.push_back({dtype, shape});
      }
      expect_equal(make_op(OpKind::concat, operands, {{"axis", axis}}));
    }
  }
}

TEST(ConcatCall, JoinsElements) {
  for (const DType dtype : {DType::i8, DType::bf16, DType::f32, DType::f64}) {
    std::vector<Type> operands;
    for (const int64_t extent : {1, 1, 2, 1, 3, 0, 8, 1, 1})
      operands.push_back({dtype, {5000, extent}});
    expect_equal(make_op(OpKind::concat, operands, {{"axis", int64_t{1}}}));
  }
}

TEST(ConcatCall, IsCutBetweenThreadsAnywhere) {
  const ThreadCountScope scope(3);
  const std::vector<Type> operands(5, {DType::f32, {3, 40'001}});
  expect_equal(make_op(OpKind::concat, operands, {{"axis", int64_t{1}}}));
  const std::vector<Type> columns(9, {DType::f32, {40'001, 1}});
  expect_equal(make_op(OpKind::concat, columns, {{"axis", int64_t{1}}}));
}

TEST(ConcatCall, GoesPastTheCachesInLongRuns) {
  const ThreadCountScope scope(2);
  for (const int64_t offset : {int64_t{0}, int64_t{1}}) {
    std::vector<Type> operands;
    int64_t row = 0;
    for (const int64_t extent :
         {int64_t{651}, int64_t{0}, 700 + offset, int64_t{2048}, int64_t{999}}) {
      operands.push_back({DType::i8, {0, extent}});
      row += extent;
    }
    for (Type& operand : operands)
      operand.shape.set(0, 8 * core_cache_bytes() / row + 2);
    expect_equal(make_op(OpKind::concat, operands, {{"axis", int64_t{1}}}));
  }
}

class MatmulCall : public testing::TestWithParam<DType> {};

TEST_P(MatmulCall, TakesAllTransposesAndExtents) {
  const std::vector<std::array<int64_t, 3>> sizes = {{1, 1, 1},
                                                     {1, 7, 1},
                                                     {5, 1, 3},
                                                     {17, 31, 13},
                                                     {64, 10, 100},
                                                     {33, 65, 1},
                                                     {9, 300, 40},
                                                     {70, 80, 90}};
  for (const auto& [m, n, k] : sizes) {
    expect_matmul(GetParam(), {m, k}, {k, n}, false, false);
    expect_matmul(GetParam(), {k, m}, {k, n}, true, false);
    expect_matmul(GetParam(), {m, k}, {n, k}, false, true);
    expect_matmul(GetParam(), {k, m}, {n, k}, true, true);
  }
}

/// Longer than the pieces that a product is cut into.
TEST(MatmulCalls, OfF64TakeLongSides) {
  for (const bool lhs : {false, true}) {
    for (const bool rhs : {false, true}) {
      expect_matmul(DType::f64,
                    lhs ? Shape{9, 600} : Shape{600, 9},
                    rhs ? Shape{31, 9} : Shape{9, 31},
                    lhs,
                    rhs);
      expect_matmul(DType::f64,
                    lhs ? Shape{40, 7} : Shape{7, 40},
                    rhs ? Shape{1033, 40} : Shape{40, 1033},
                    lhs,
                    rhs);
    }
  }
  expect_matmul(DType::f64, {1, 300}, {300, 5000}, false, false);
}

TEST(MatmulCalls, OfShortSidesAreCutInRows) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const bool transpose_rhs : {false, true})
      expect_equal(make_product(251, 130, 500, false, transpose_rhs, dtype));
  }
}

TEST_P(MatmulCall, TakesBatches) {
  expect_matmul(GetParam(), {3, 5, 4}, {3, 4, 6}, false, false);
  expect_matmul(GetParam(), {20, 5, 4}, {20, 4, 6}, false, false);
  expect_matmul(GetParam(), {20, 5, 4}, {20, 6, 4}, false, true);
  expect_matmul(GetParam(), {3, 4, 5}, {3, 4, 6}, true, false);
}

TEST_P(MatmulCall, BroadcastsBatches) {
  expect_matmul(GetParam(), {7, 5, 4}, {4, 6}, false, false);
  expect_matmul(GetParam(), {7, 4, 5}, {4, 6}, true, false);
  expect_matmul(GetParam(), {5, 4}, {9, 6, 4}, false, true);
  expect_matmul(GetParam(), {2, 1, 5, 4}, {3, 4, 6}, false, false);
  expect_matmul(GetParam(), {2, 3, 5, 4}, {2, 1, 4, 6}, false, false);
}

TEST_P(MatmulCall, TakesEmptyOperands) {
  expect_matmul(GetParam(), {0, 4}, {4, 6}, false, false);
  expect_matmul(GetParam(), {5, 4}, {4, 0}, false, false);
  expect_matmul(GetParam(), {5, 0}, {0, 6}, false, false);
  expect_matmul(GetParam(), {0, 5, 4}, {4, 6}, false, false);
  expect_matmul(GetParam(), {3, 5, 0}, {3, 0, 2}, false, false);
}

TEST(MatmulCalls, LeaveEpiloguesToTheInterpreter) {
  const Type x{DType::f32, {5, 4}};
  const Type y{DType::f32, {4, 6}};
  const Attributes relu = {{"activation", std::string("relu")}};
  EXPECT_EQ(make_host_call(make_op(OpKind::matmul, {x, y, {DType::f32, {6}}}, {}), 1), nullptr);
  EXPECT_EQ(make_host_call(make_op(OpKind::matmul, {x, y}, relu), 1), nullptr);
}

INSTANTIATE_TEST_SUITE_P(DTypes,
                         MatmulCall,
                         testing::Values(DType::f32, DType::f64, DType::i32, DType::i64, DType::u8),
                         [](const auto& info) { return std::string(to_string(info.param)); });

struct ConvolutionCase {
  Shape x;
  Shape w;
  Ints stride = {1, 1};
  Ints padding = {0, 0};
  Ints dilation = {1, 1};
  int64_t groups = 1;
  int64_t x_block = 1;  // channels in a block
  int64_t y_block = 1;
};

void expect_convolution(const ConvolutionCase& c) {
  const Attributes attributes = {
      {"stride", c.stride}, {"padding", c.padding}, {"dilation", c.dilation}, {"groups", c.groups}};
  const Type x{DType::f32, c.x_block == 1 ? c.x : ir::with_channel_blocks(c.x, c.x_block)};
  const Type w{DType::f32, c.w};
  Attributes output = attributes;
  output.set("block", c.y_block);
  const LibraryOp forward = make_op(OpKind::conv, {x, w}, output);
  expect_equal(forward);
  Attributes input = attributes;
  input.set("input_shape", Ints(c.x.begin(), c.x.end()));
  input.set("block", c.x_block);
  expect_equal(make_op(OpKind::conv_input_grad, {forward.result, w}, input));
  Attributes weight = attributes;
  weight.set("weight_shape", Ints(c.w.begin(), c.w.end()));
  expect_equal(make_op(OpKind::conv_weight_grad, {x, forward.result}, weight));
}

class ConvolutionCall : public testing::Test {
 protected:
  void SetUp() override {
    const LibraryOp op =
        make_op(OpKind::conv, {{DType::f32, {1, 1, 4, 4}}, {DType::f32, {1, 1, 3, 3}}}, {});
    if (make_host_call(op, 1) == nullptr) GTEST_SKIP() << "no convolutions of the host's";
  }
};

TEST_F(ConvolutionCall, TakesTheLayersOfACnn) {
  expect_convolution({.x = {4, 1, 28, 28}, .w = {32, 1, 5, 5}, .padding = {2, 2}});
  expect_convolution({.x = {2, 32, 14, 14}, .w = {64, 32, 5, 5}, .padding = {2, 2}});
  expect_convolution({.x = {2, 16, 9, 9}, .w = {16, 16, 3, 3}, .padding = {1, 1}});
  expect_convolution({.x = {2, 16, 9, 9}, .w = {32, 16, 1, 1}});
}

TEST_F(ConvolutionCall, TakesOddExtents) {
  expect_convolution({.x = {1, 1, 1, 1}, .w = {1, 1, 1, 1}});
  expect_convolution({.x = {3, 5, 7, 11}, .w = {7, 5, 3, 2}});
  expect_convolution({.x = {2, 3, 13, 6}, .w = {5, 3, 13, 6}});
  expect_convolution({.x = {1, 17, 5, 5}, .w = {19, 17, 2, 3}, .padding = {1, 2}});
}

TEST_F(ConvolutionCall, TakesStrides) {
  expect_convolution({.x = {2, 3, 12, 13}, .w = {8, 3, 3, 3}, .stride = {2, 2}});
  expect_convolution({.x = {2, 3, 12, 13}, .w = {8, 3, 3, 3}, .stride = {2, 3}, .padding = {1, 1}});
  expect_convolution({.x = {1, 4, 10, 10}, .w = {4, 4, 1, 1}, .stride = {3, 3}});
}

TEST_F(ConvolutionCall, TakesDilation) {
  expect_convolution({.x = {2, 3, 12, 13}, .w = {8, 3, 3, 3}, .dilation = {2, 3}});
  expect_convolution({.x = {2, 3, 12, 13},
                      .w = {8, 3, 3, 3},
                      .stride = {2, 1},
                      .padding = {3, 2},
                      .dilation = {2, 2}});
}

TEST_F(ConvolutionCall, TakesGroups) {
  expect_convolution({.x = {2, 4, 8, 8}, .w = {6, 2, 3, 3}, .padding = {1, 1}, .groups = 2});
  expect_convolution({.x = {2, 8, 8, 8}, .w = {8, 1, 3, 3}, .padding = {1, 1}, .groups = 8});
  expect_convolution({.x = {1, 3, 7, 7}, .w = {6, 1, 3, 3}, .stride = {2, 2}, .groups = 3});
}

TEST_F(ConvolutionCall, TakesBlocksOfChannels) {
  if (!has_onednn()) GTEST_SKIP() << "built without oneDNN";
  for (const int64_t block : {8, 16}) {
    expect_convolution(
        {.x = {2, 3, 9, 7}, .w = {32, 3, 3, 3}, .padding = {1, 1}, .y_block = block});
    expect_convolution({.x = {2, 32, 9, 7},
                        .w = {16, 32, 3, 3},
                        .stride = {2, 2},
                        .padding = {1, 1},
                        .x_block = block,
                        .y_block = block});
    expect_convolution({.x = {2, 32, 6, 6}, .w = {5, 32, 1, 1}, .x_block = block});
    expect_convolution(
        {.x = {2, 32, 6, 6}, .w = {32, 1, 3, 3}, .groups = 32, .x_block = block, .y_block = block});
  }
  expect_convolution({.x = {2, 16, 9},
                      .w = {16, 16, 3},
                      .stride = {1},
                      .padding = {1},
                      .dilation = {1},
                      .x_block = 16,
                      .y_block = 16});
}

TEST_F(ConvolutionCall, TakesTheFastestAlgorithm) {
  if (!has_onednn()) GTEST_SKIP() << "built without oneDNN";
  const ConvolutionCase plain = {.x = {2, 32, 32, 32}, .w = {32, 32, 3, 3}, .padding = {1, 1}};
  expect_convolution(plain);
  ConvolutionCase blocked = plain;
  blocked.x_block = blocked.y_block = 16;
  expect_convolution(blocked);
}

TEST_F(ConvolutionCall, LeavesEmptyOnesToTheInterpreter) {
  EXPECT_EQ(
      make_host_call(
          make_op(OpKind::conv, {{DType::f32, {0, 1, 4, 4}}, {DType::f32, {1, 1, 3, 3}}}, {}), 1),
      nullptr);
}

struct PoolCase {
  Shape x;
  Ints kernel;
  Ints stride;
  Ints padding = {0, 0};
};

const std::vector<PoolCase>& pool_cases() {
  static const std::vector<PoolCase> cases = {{{2, 3, 8, 8}, {2, 2}, {2, 2}},
                                              {{2, 3, 9, 7}, {2, 2}, {2, 2}},
                                              {{1, 2, 7, 7}, {3, 3}, {1, 1}, {1, 1}},
                                              {{1, 2, 7, 9}, {3, 2}, {2, 1}, {2, 1}},
                                              {{1, 1, 5, 5}, {5, 5}, {1, 1}},
                                              {{1, 1, 5, 6}, {2, 3}, {3, 4}},
                                              {{1, 1, 1, 1}, {3, 3}, {1, 1}, {1, 1}},
                                              {{70, 3, 10, 10}, {4, 4}, {3, 3}, {2, 2}},
                                              {{0, 3, 10, 10}, {4, 4}, {3, 3}, {2, 2}},
                                              {{2, 3, 8, 6, 16}, {2, 2}, {2, 2}},
                                              {{2, 3, 8, 6, 8}, {2, 2}, {2, 2}},
                                              {{1, 2, 6, 9, 16}, {2, 3}, {2, 3}},
                                              {{2, 3, 9, 7, 16}, {2, 2}, {2, 2}},
                                              {{2, 3, 9, 7, 16}, {3, 3}, {2, 2}, {1, 1}},
                                              {{2, 3, 9, 7, 8}, {2, 3}, {1, 1}, {1, 1}},
                                              {{1, 2, 19, 23}, {16, 17}, {2, 3}, {3, 8}},
                                              {{1, 2, 19, 23, 8}, {16, 17}, {2, 3}, {3, 8}}};
  return cases;
}

class PoolingCall : public testing::TestWithParam<DType> {};

TEST_P(PoolingCall, AgreesWithTheInterpreter) {
  for (const PoolCase& c : pool_cases()) {
    for (const bool exclude : {false, true}) {
      const Attributes attributes = {{"kernel", c.kernel},
                                     {"stride", c.stride},
                                     {"padding", c.padding},
                                     {"exclude_padding", exclude}};
      const Type x{GetParam(), c.x};
      const LibraryOp max = make_op(OpKind::max_pool2d, {x}, attributes);
      expect_equal(max);
      Attributes of_numbers = attributes;
      of_numbers.set("argmax", true);
      const LibraryOp argmax = make_op(OpKind::max_pool2d, {x}, of_numbers);
      expect_equal(argmax);
      Attributes grad = attributes;
      grad.set("input_shape", Ints(c.x.begin(), c.x.end()));
      const LibraryOp gradient =
          make_op(OpKind::max_pool2d_grad, {argmax.result, max.result}, grad);
      std::vector<Literal> operands = random_operands(gradient);
      expect_equal(gradient, operands);  // most numbers are of no element
      operands[0] = interpret(argmax, random_operands(argmax));
      expect_equal(gradient, operands);
      expect_equal(make_op(OpKind::avg_pool2d, {x}, attributes));
      expect_equal(make_op(OpKind::avg_pool2d_grad, {max.result}, grad));
    }
  }
}

TEST_P(PoolingCall, StridesByItsKernelWhenNotTold) {
  expect_equal(make_op(OpKind::max_pool2d, {{GetParam(), {1, 2, 6, 6}}}, {{"kernel", Ints{3, 2}}}));
}

INSTANTIATE_TEST_SUITE_P(DTypes,
                         PoolingCall,
                         testing::Values(DType::f32, DType::f64),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(PoolingCall, GivesTheGradientToTheFirstLargestAndToNan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {1,
                                1,
                                0,
                                kNan,
                                -kInf,
                                -kInf,
                                kInf,
                                kInf,  //
                                1,
                                1,
                                kNan,
                                5,
                                -kInf,
                                -kInf,
                                0,
                                kInf};
  const std::vector<float> cotangent = {1, 2, 3, 4};
  const Literal image = Literal::from<float>({1, 1, 2, 8}, x);
  const LibraryOp argmax =
      make_op(OpKind::max_pool2d, {image.type()}, {{"argmax", true}, {"kernel", Ints{2, 2}}});
  const LibraryOp gradient = make_op(OpKind::max_pool2d_grad,
                                     {argmax.result, {DType::f32, {1, 1, 1, 4}}},
                                     {{"input_shape", Ints{1, 1, 2, 8}}, {"kernel", Ints{2, 2}}});

  const Literal chosen = run(*make_host_call(argmax, 1), argmax, {image});
  const std::vector<Literal> operands = {chosen, Literal::from<float>({1, 1, 1, 4}, cotangent)};
  const Literal got = run(*make_host_call(gradient, 1), gradient, operands);

  EXPECT_EQ(chosen, Literal::from<uint8_t>({1, 1, 1, 4}, std::vector<uint8_t>{0, 1, 0, 0}));
  const std::vector<float> expected = {1, 0, 0, 2, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(got, Literal::from<float>({1, 1, 2, 8}, expected));
  expect_equal(argmax, {image});
  expect_equal(gradient, operands);
  expect_equal(make_op(OpKind::max_pool2d, {image.type()}, {{"kernel", Ints{2, 2}}}), {image});
}

TEST(PoolingCall, FindsTheLargestAmongSpecialValues) {
  std::mt19937_64 random(1);
  const Attributes attributes = {
      {"kernel", Ints{3, 3}}, {"stride", Ints{2, 2}}, {"padding", Ints{1, 1}}};
  Attributes of_numbers = attributes;
  of_numbers.set("argmax", true);
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Shape& shape : {Shape{2, 3, 9, 7}, Shape{2, 3, 9, 7, 8}, Shape{2, 3, 9, 7, 16}}) {
      const Type x{dtype, shape};
      expect_equal(make_op(OpKind::max_pool2d, {x}, attributes), {special_literal(x, random)});
      const LibraryOp op = make_op(OpKind::max_pool2d, {x}, of_numbers);
      expect_equal(op, {special_literal(x, random)});
      Literal lowest(x);
      visit_dtype(dtype, [&]<typename T>() {
        if constexpr (std::is_floating_point_v<T>)
          std::ranges::fill(lowest.mutable_values<T>(), -std::numeric_limits<T>::infinity());
      });
      expect_equal(op, {lowest});
    }
  }
}

}  // namespace
}  // namespace wick::runtime
