#pragma once

// Elementary functions and reductions of which a kernel needs less than they can do, or all at
// once.

#include <cstdint>
#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::llvm_jit {

enum class FunctionForm : uint8_t {
  plain,
  never_positive,    // exp of what is at most 0, or NaN
  one_plus,          // tanh: gives 1 + tanh(x), as everything that reads it asks for that
  divisor,           // tanh: gives 1 + e^(-2x), as everything that reads it is such a quotient
  half_quotient,     // x * 0.5 * (1 + tanh): x over such a divisor
  gated_tanh,        // the product of a tanh and a sigmoid: one quotient
  one_minus_square,  // t * t of such a t: gives 1 - tanh(x)^2
  operand,           // the sum or difference that these leave nothing to do
  scaled_log,        // a cast to f32 of a multiple of the f64 log of an f32: their product in f32
  tan,               // a cast to f32 of the f64 quotient of an f32's sine and cosine: in f32
  unread,            // what these leave nobody to read
  numbers_alone,     // reduce_max: passes over NaN, of which results are told otherwise
  at_least_one,      // reduce_sum: of powers of which one is 1, or NaN
};

/// What an instruction is computed as.
struct InstrForm {
  FunctionForm form = FunctionForm::plain;
  std::vector<int> arguments{};  // that it is computed from; empty: its operands
  double scale = 1;              // of scaled_log
};

/// One an instruction. `divides`: whether quotients take no longer than products that stand for
/// them.
std::vector<InstrForm> find_function_forms(const Kernel& kernel, bool divides);

}  // namespace wick::codegen::llvm_jit
