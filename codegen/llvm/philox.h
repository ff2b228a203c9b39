#pragma once

// Random numbers in kernels: Philox 4x32-10 (Salmon et al., 2011).
//
// Element 64 q + 16 w + r is word w of the four that counter offset + 16 q + r gives. So 16 lanes
// that begin at a multiple of 64 compute the words of 64 elements behind each other at once.

#include <array>

#include "wick/codegen/llvm/emit_context.h"

namespace wick::codegen::llvm_jit {

/// The four words for the counter of element `element`, i32; operands i64.
std::array<llvm::Value*, 4> emit_random_words(EmitContext& e,
                                              llvm::Value* key,
                                              llvm::Value* offset,
                                              llvm::Value* element);

/// The i32 word that the op random_bits gives element `element`; operands i64.
llvm::Value* emit_random_bits(EmitContext& e,
                              llvm::Value* key,
                              llvm::Value* offset,
                              llvm::Value* element);

}  // namespace wick::codegen::llvm_jit
