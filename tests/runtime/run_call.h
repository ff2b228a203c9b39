#pragma once

// Library calls by themselves: ops made, run and interpreted.

#include <random>
#include <string>
#include <vector>

#include "wick/ir/literal.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// Whether oneDNN was built in.
bool has_onednn();

/// The op with the result that it has for these operands.
LibraryOp make_op(ir::OpKind kind, std::vector<Type> operands, ir::Attributes attributes);
/// A matmul.
LibraryOp make_product(
    Shape lhs, Shape rhs, bool transpose_lhs, bool transpose_rhs, DType dtype = DType::f32);
LibraryOp make_product(int64_t m,
                       int64_t n,
                       int64_t k,
                       bool transpose_lhs,
                       bool transpose_rhs,
                       DType dtype = DType::f32);
/// The gradient of the weight of a convolution of inputs and weights of these shapes; `block`
/// channels of all images lie side by side, 1 for plain images.
LibraryOp make_weight_gradient(const std::vector<int64_t>& input,
                               const std::vector<int64_t>& weight,
                               int64_t block,
                               ir::Attributes attributes);
std::string describe(const LibraryOp& op);

/// The same ones each time.
std::vector<Literal> random_operands(const LibraryOp& op);
/// Random values, of floats some infinite, NaN or zeros of either sign.
Literal special_literal(const Type& type, std::mt19937_64& random);

/// In memory that is full of NaNs.
Literal run(const HostCall& call, const LibraryOp& op, const std::vector<Literal>& operands);
Literal interpret(const LibraryOp& op, const std::vector<Literal>& operands);
/// Expects the call on two threads to give what the interpreter does; of random operands where none
/// are given.
void expect_equal(const LibraryOp& op, const std::vector<Literal>& operands);
void expect_equal(const LibraryOp& op);

}  // namespace wick::runtime
