#pragma once

// Dividing many numbers by one, as softmax does with each row: products with the inverse take less
// than half the time of the machine's divisions, and a quarter with AVX-512 on Intel's processors.

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

/// What is made of the divisor once: a vector, of a scalar in every lane the same.
struct Divisor {
  llvm::Value* scale = nullptr;    // a power of two that leaves digits to the inverse; null: 1
  llvm::Value* inverse = nullptr;  // 1 / (divisor * scale), rounded towards 0
  llvm::Value* rest = nullptr;     // what the rounding took, or next to nothing of the same sign
};

/// Of a scalar; goes on in another block. Or of a vector, each lane of which divides for itself.
/// `is_usual`: between 1 and 2^64, or NaN.
Divisor make_divisor(EmitContext& e, llvm::Value* divisor, bool is_usual);

/// The quotients of such a vector: within one unit in the last place where they are denormal, else
/// rounded once from twice the digits, which is what the machine's division gives of nearly all
/// numbers.
llvm::Value* divide(EmitContext& e, llvm::Value* x, const Divisor& divisor);

}  // namespace wick::codegen::llvm_jit
