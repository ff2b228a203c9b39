#pragma once

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

/// The i32 word of Philox 4x32-10 that the op random_bits gives element `element`; operands i64.
llvm::Value* emit_random_bits(EmitContext& e,
                              llvm::Value* key,
                              llvm::Value* offset,
                              llvm::Value* element);

}  // namespace wick::codegen::llvm_jit
