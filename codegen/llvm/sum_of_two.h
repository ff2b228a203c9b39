#pragma once

// Values as sums of two numbers, the second of which holds what the first one lacks: about twice
// the digits. Floats or doubles, for machines with fused multiply-adds.

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

struct SumOfTwo {
  llvm::Value* high;
  llvm::Value* low;
};

SumOfTwo exact_product(EmitContext& e, llvm::Value* x, llvm::Value* y);
SumOfTwo multiply(EmitContext& e, const SumOfTwo& x, llvm::Value* y);
SumOfTwo multiply(EmitContext& e, const SumOfTwo& x, const SumOfTwo& y);

/// large + x, where |large| is not below |x| or is 0.
SumOfTwo add(EmitContext& e, llvm::Value* large, const SumOfTwo& x);

/// The same value, of which `high` holds as much as it can.
SumOfTwo normalized(EmitContext& e, const SumOfTwo& x);

/// (m - 1) / (m + 1) for m in [sqrt(1/2), sqrt(2)).
SumOfTwo artanh_argument(EmitContext& e, llvm::Value* m);

/// The nearest value within -bound and bound; of NaN one of these.
SumOfTwo clamped(EmitContext& e, const SumOfTwo& x, double bound);

}  // namespace wick::codegen::llvm_jit
