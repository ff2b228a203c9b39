#pragma once

// Elementary functions of which a kernel needs less than they can do.

#include <cstdint>
#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::llvm_jit {

enum class FunctionForm : uint8_t {
  plain,
  never_positive,    // exp of what is at most 0, or NaN
  one_plus,          // tanh: gives 1 + tanh(x), as everything that reads it asks for that
  one_minus_square,  // t * t of such a t: gives 1 - tanh(x)^2
  operand,           // the sum or difference that these leave nothing to do
};

/// One an instruction.
std::vector<FunctionForm> find_function_forms(const Kernel& kernel);

}  // namespace wick::codegen::llvm_jit
