#pragma once

// The parts of pow, |x|^y = 2^(y log2|x|), whose exponents are sums of two numbers. For machines
// with fused multiply-adds.

#include "wick/codegen/llvm/sum_of_two.h"

namespace wick::codegen::llvm_jit {

/// Of positive finite x.
SumOfTwo log2_f32(EmitContext& e, llvm::Value* x);
SumOfTwo log2_f64(EmitContext& e, llvm::Value* x);

/// Of sums between -200 and 200, and between -1100 and 1100, to so little more than half an ulp
/// that what is a number of the type is exact.
llvm::Value* exp2_f32(EmitContext& e, const SumOfTwo& x);
llvm::Value* exp2_f64(EmitContext& e, const SumOfTwo& x);

}  // namespace wick::codegen::llvm_jit
