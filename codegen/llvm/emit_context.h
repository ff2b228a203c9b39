#pragma once

// What every part of the emitter shares: the builder, the lane count, and the two forms of a
// dtype. Values live in registers in `register form`: f16 and bf16 as a float that the dtype can
// represent, bool as i1, all else as it is stored. Helpers take scalars and vectors alike; the
// result has as many lanes as the operands.

#include <cstdint>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "wick/codegen/llvm/host_target.h"
#include "wick/ir/dtype.h"
#include "wick/ir/literal.h"

namespace wick::codegen::llvm_jit {

struct EmitContext {
  EmitContext(llvm::Module& the_module, const HostTarget& the_host)
      : module(the_module),
        host(the_host),
        b(the_module.getContext()),
        lanes(the_host.lanes) {}

  llvm::Module& module;
  const HostTarget& host;
  llvm::IRBuilder<> b;
  int lanes;

  [[nodiscard]] llvm::Type* register_type(DType dtype);  // of one lane
  [[nodiscard]] llvm::Type* storage_type(DType dtype);   // of one element in memory
  [[nodiscard]] llvm::Type* vector_of(llvm::Type* element) const;

  llvm::Value* to_register(DType dtype, llvm::Value* stored);
  llvm::Value* to_storage(DType dtype, llvm::Value* value);
  /// A float rounded to what `dtype` can represent; a no-op except for f16 and bf16.
  llvm::Value* round_to(DType dtype, llvm::Value* value);
  llvm::Constant* literal(const Literal& value);  // rank 0, in register form

  llvm::Value* splat(llvm::Value* scalar);
  /// x in the lanes that are chosen, y in the others. Of bits it is made of and, or: LLVM 19
  /// rewrites a selection of them for AVX2 forth and back without end.
  llvm::Value* select(llvm::Value* chosen, llvm::Value* x, llvm::Value* y);
  llvm::Constant* iota(llvm::Type* element) const;  // 0, 1, ... in every lane
  /// Numbers in memory, which kernels read.
  llvm::GlobalVariable* constant_table(llvm::Constant* numbers, const char* name);

  /// a * b + c, rounded once where the host can.
  llvm::Value* fma(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  /// c[0] + c[1] * x + ... by Horner's rule.
  llvm::Value* polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients);
  /// The same, even and odd powers apart: two chains of half the length, for kernels that wait for
  /// results. Takes a register more, and loses digits where the two parts cancel.
  llvm::Value* split_polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients);
  llvm::Value* unary(llvm::Intrinsic::ID intrinsic, llvm::Value* x);

  /// Whether instructions of AVX-512 that LLVM has no name of its own for may compute with `x`.
  [[nodiscard]] bool has_avx512_for(const llvm::Value* x) const;
  /// Whether a register may hold a table that each lane of `x`, of floats, chooses from.
  [[nodiscard]] bool has_table_for(const llvm::Value* x) const;
  /// `emit` on each register of vectors that fill several.
  llvm::Value* by_register(llvm::ArrayRef<llvm::Value*> operands,
                           llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> emit);
  /// Vectors of one type behind each other in a vector as wide as all.
  llvm::Value* join(llvm::ArrayRef<llvm::Value*> parts);
  /// The opposite of join.
  llvm::SmallVector<llvm::Value*, 4> split(llvm::Value* wide, int count);
  /// Asks for a line that will be read, as far as the first or second level of the caches.
  void prefetch(llvm::Value* address, int level = 2);
};

/// The type with element `element` and the lanes of `like`.
llvm::Type* shaped(llvm::Type* element, const llvm::Value* like);
llvm::Constant* real(const llvm::Value* like, double value);
llvm::Constant* integer(const llvm::Value* like, int64_t value);
bool is_vector(const llvm::Value* value);

}  // namespace wick::codegen::llvm_jit
