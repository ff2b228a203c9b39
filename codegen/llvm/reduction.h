#pragma once

// Accumulators of reductions. An argmax accumulates a value and its position.

#include <llvm/ADT/SmallVector.h>

#include "wick/codegen/llvm/emit_context.h"
#include "wick/ir/op.h"

namespace wick::codegen::llvm_jit {

struct Reduction {
  ir::OpKind op;
  DType dtype;                   // of the reduced operand
  bool passes_over_nan = false;  // reduce_max of floats: a NaN is none of the candidates

  [[nodiscard]] bool tracks_position() const { return op == ir::OpKind::argmax; }
};

/// A partial result: the value, and the position when the reduction tracks one.
struct Partial {
  llvm::Value* value = nullptr;
  llvm::Value* position = nullptr;
};

/// What nothing reduces to, in every lane.
Partial reduction_start(EmitContext& e, const Reduction& reduction);
Partial combine(EmitContext& e, const Reduction& reduction, Partial x, Partial y);
/// Copies, and then their lanes if told, in halves: a fixed order.
Partial fold(EmitContext& e,
             const Reduction& reduction,
             llvm::SmallVector<Partial, 8> copies,
             bool folds_lanes);
/// The result in register form of the result's dtype.
llvm::Value* reduction_result(EmitContext& e, const Reduction& reduction, Partial x);

}  // namespace wick::codegen::llvm_jit
