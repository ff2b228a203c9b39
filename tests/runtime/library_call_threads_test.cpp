// Library calls by one thread and by several.

#include <vector>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/runtime/library_call.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

using ir::Attributes;
using ir::OpKind;
using Ints = std::vector<int64_t>;

/// The call made and run with one thread and with two gives the same bits.
void expect_same_bits(const LibraryOp& op) {
  if (make_host_call(op, 1) == nullptr) return;  // a convolution in a build without oneDNN
  const std::vector<Literal> operands = random_operands(op);
  std::vector<Literal> results;
  for (const int threads : {1, 2, 4}) {
    const ThreadsOption option(threads);
    const ThreadCountScope scope(threads);
    results.push_back(run(*make_host_call(op, threads), op, operands));
  }
  EXPECT_TRUE(results[0] == results[1]) << describe(op);
  EXPECT_TRUE(results[0] == results[2]) << describe(op);
}

TEST(LibraryCall, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto f32 = [](Shape shape) { return Type{DType::f32, std::move(shape)}; };
  for (const bool t : {false, true}) {
    const Attributes attributes = {{"transpose_rhs", t}};
    expect_same_bits(make_op(OpKind::matmul,
                             {f32({64, 784}), f32(t ? Shape{1024, 784} : Shape{784, 1024})},
                             attributes));
    expect_same_bits(make_op(
        OpKind::matmul, {f32({64, 1024}), f32(t ? Shape{10, 1024} : Shape{1024, 10})}, attributes));
    for (const DType dtype : {DType::f32, DType::f64})  // cut along its rows
      expect_same_bits(make_product(251, 130, 500, false, t, dtype));
    expect_same_bits(make_op(
        OpKind::matmul, {f32({8, 20000}), f32(t ? Shape{8, 20000} : Shape{20000, 8})}, attributes));
    expect_same_bits(
        make_op(OpKind::matmul,
                {{DType::f64, {600, 300}}, {DType::f64, t ? Shape{131, 300} : Shape{300, 131}}},
                attributes));
    expect_same_bits(
        make_op(OpKind::matmul,
                {{DType::f64, {37, 700}}, {DType::f64, t ? Shape{1033, 700} : Shape{700, 1033}}},
                attributes));
  }
  expect_same_bits(
      make_op(OpKind::matmul, {f32({128, 784}), f32({128, 1024})}, {{"transpose_lhs", true}}));
  const Attributes same = {{"padding", Ints{2, 2}}};
  const Type x = f32({16, 32, 14, 14});
  const Type w = f32({64, 32, 5, 5});
  const Type y = f32({16, 64, 14, 14});
  expect_same_bits(make_op(OpKind::conv, {x, w}, same));
  Attributes input = same;
  input.set("input_shape", Ints{16, 32, 14, 14});
  expect_same_bits(make_op(OpKind::conv_input_grad, {y, w}, input));
  Attributes weight = same;
  weight.set("weight_shape", Ints{64, 32, 5, 5});
  expect_same_bits(make_op(OpKind::conv_weight_grad, {x, y}, weight));
  // Few channels: the split of the work over the batch shows.
  Attributes first = same;
  first.set("weight_shape", Ints{32, 1, 5, 5});
  const Type images = f32({64, 1, 28, 28});
  expect_same_bits(make_op(OpKind::conv_weight_grad, {images, f32({64, 32, 28, 28})}, first));
  const Attributes dense = {{"padding", Ints{1, 1}}};  // of 3x3: Winograd's algorithm may be chosen
  const Type large = f32({8, 32, 28, 28});
  expect_same_bits(make_op(OpKind::conv, {large, f32({64, 32, 3, 3})}, dense));
  Attributes dense_weight = dense;
  dense_weight.set("weight_shape", Ints{64, 32, 3, 3});
  expect_same_bits(make_op(OpKind::conv_weight_grad, {large, f32({8, 64, 28, 28})}, dense_weight));
  const Attributes pool = {{"kernel", Ints{2, 2}}};
  expect_same_bits(make_op(OpKind::max_pool2d, {x}, pool));
}

}  // namespace
}  // namespace wick::runtime
