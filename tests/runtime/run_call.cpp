#include "run_call.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>

#include "run_graph.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/channel_blocks.h"
#include "wick/ir/format.h"
#include "wick/ir/interpreter.h"
#include "wick/runtime/onednn/ways.h"

namespace wick::runtime {

bool has_onednn() {
  return !onednn::matmul_ways(make_product({2, 2}, {2, 2}, false, false)).empty();
}

LibraryOp make_op(ir::OpKind kind, std::vector<Type> operands, ir::Attributes attributes) {
  std::vector<const Type*> pointers;
  for (const Type& type : operands)
    pointers.push_back(&type);
  Type result = ir::infer_type(kind, pointers, attributes, {});
  return {kind, std::move(attributes), std::move(operands), std::move(result)};
}

Literal run(const HostCall& call, const LibraryOp& op, const std::vector<Literal>& operands) {
  std::vector<const void*> pointers;
  for (const Literal& operand : operands)
    pointers.push_back(operand.data());
  constexpr AllocationTag kTag{.purpose = "test", .where = {}};
  const Ref<Buffer> scratch = Buffer::allocate(call.scratch_bytes(), kTag);
  const Ref<Buffer> result = Buffer::allocate(op.result.num_bytes(), kTag);
  constexpr std::byte kOfNans{0xff};
  std::fill_n(static_cast<std::byte*>(scratch->data()), call.scratch_bytes(), kOfNans);
  std::fill_n(static_cast<std::byte*>(result->data()), op.result.num_bytes(), kOfNans);
  call.run(pointers.data(), result->data(), static_cast<std::byte*>(scratch->data()));
  return literal_of(op.result, *result);
}

Literal interpret(const LibraryOp& op, const std::vector<Literal>& operands) {
  std::vector<const Literal*> pointers;
  for (const Literal& operand : operands)
    pointers.push_back(&operand);
  return ir::interpret_op(op.op, op.attributes, pointers, op.result);
}

LibraryOp make_product(Shape lhs, Shape rhs, bool transpose_lhs, bool transpose_rhs, DType dtype) {
  return make_op(ir::OpKind::matmul,
                 {{dtype, std::move(lhs)}, {dtype, std::move(rhs)}},
                 {{"transpose_lhs", transpose_lhs}, {"transpose_rhs", transpose_rhs}});
}

LibraryOp make_product(
    int64_t m, int64_t n, int64_t k, bool transpose_lhs, bool transpose_rhs, DType dtype) {
  return make_product(transpose_lhs ? Shape{k, m} : Shape{m, k},
                      transpose_rhs ? Shape{n, k} : Shape{k, n},
                      transpose_lhs,
                      transpose_rhs,
                      dtype);
}

LibraryOp make_weight_gradient(const std::vector<int64_t>& input,
                               const std::vector<int64_t>& weight,
                               int64_t block,
                               ir::Attributes attributes) {
  Shape images(input);
  if (block > 1) images = ir::with_channel_blocks(images, block);
  ir::Attributes forward = attributes;
  forward.set("block", block);
  const Type x{DType::f32, images};
  const Type y = make_op(ir::OpKind::conv, {x, {DType::f32, Shape(weight)}}, forward).result;
  attributes.set("weight_shape", weight);
  return make_op(ir::OpKind::conv_weight_grad, {x, y}, std::move(attributes));
}

std::string describe(const LibraryOp& op) {
  std::string operands;
  for (const Type& type : op.operands)
    operands += fmt::format(" {}", type);
  return fmt::format("{}{} -> {}", op.op, operands, op.result);
}

std::vector<Literal> random_operands(const LibraryOp& op) {
  std::mt19937_64 random(42);
  std::vector<Literal> operands;
  for (const Type& type : op.operands)
    operands.push_back(random_literal(type, random));
  return operands;
}

Literal special_literal(const Type& type, std::mt19937_64& random) {
  Literal value = random_literal(type, random);
  visit_dtype(type.dtype, [&]<typename T>() {
    if constexpr (dtype_of<T>() <= DType::bf16) {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      const float specials[] = {kInfinity, -kInfinity, std::nanf(""), -std::nanf(""), 0.0F, -0.0F};
      for (T& element : value.mutable_values<T>()) {
        if (random() % 8 == 0) element = static_cast<T>(specials[random() % 6]);
      }
    }
  });
  return value;
}

void expect_equal(const LibraryOp& op, const std::vector<Literal>& operands) {
  const auto call = make_host_call(op, 2);
  ASSERT_NE(call, nullptr) << describe(op);

  const Literal got = run(*call, op, operands);

  const auto differs = difference(interpret(op, operands), got, /*exact_integers=*/true);
  EXPECT_FALSE(differs) << describe(op) << ": " << *differs;
}

void expect_equal(const LibraryOp& op) {
  expect_equal(op, random_operands(op));
}

}  // namespace wick::runtime
