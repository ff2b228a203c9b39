#pragma once

// The elementwise ops on values in register form: semantics of ir/ops.def, lane by lane.

#include "wick/codegen/llvm/emit_context.h"
#include "wick/ir/op.h"

namespace wick::codegen::llvm_jit {

/// `dtype` is that of the operands (of the last two for where); all are scalars or all vectors.
llvm::Value* emit_compute(EmitContext& e,
                          ir::OpKind op,
                          DType dtype,
                          llvm::ArrayRef<llvm::Value*> operands);

llvm::Value* emit_cast(EmitContext& e, DType from, DType to, llvm::Value* value);
/// The same bits; both dtypes are as wide, neither is bool.
llvm::Value* emit_bitcast(EmitContext& e, DType from, DType to, llvm::Value* value);

/// Division rounding toward minus infinity and its remainder; 0 where the divisor is 0.
llvm::Value* emit_integer_division(
    EmitContext& e, ir::OpKind op, DType dtype, llvm::Value* x, llvm::Value* y);
/// Bits shifted out are lost, also when y is not below the width.
llvm::Value* emit_shift(EmitContext& e, ir::OpKind op, DType dtype, llvm::Value* x, llvm::Value* y);

/// The larger or smaller; NaN if either is NaN.
llvm::Value* emit_extremum(
    EmitContext& e, ir::OpKind op, DType dtype, llvm::Value* x, llvm::Value* y);

}  // namespace wick::codegen::llvm_jit
