// Elementwise operations, and elementary functions among them of several vectors at once or of
// which less is asked than they can do.

#include <bit>

#include "wick/codegen/llvm/compute.h"
#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

/// Copies as one wide vector, which LLVM takes apart again instruction by instruction; by powers of
/// two, where there are as many copies as rows take.
Values KernelEmitter::emit_interleaved(int number) {
  Values results;
  for (int first = 0; first < copies_;) {
    const auto width = static_cast<int>(std::bit_floor(static_cast<unsigned>(copies_ - first)));
    Values arguments;
    for (const int used : s_.arguments_of(number)) {
      Values copies;
      for (int copy = first; copy < first + width; ++copy)
        copies.push_back(operand(used, copy, true));
      arguments.push_back(e_.join(copies));
    }
    const Values some = e_.split(emit_form(number, arguments), width);
    results.append(some.begin(), some.end());
    first += width;
  }
  return results;
}

llvm::Value* KernelEmitter::emit_form(int number, llvm::ArrayRef<llvm::Value*> operands) {
  const Instr& at = s_.instr(number);
  switch (s_.form_of(number).form) {
    case FunctionForm::never_positive:
      return emit_math(e_, at.op, operands[0], /*never_positive=*/true);
    case FunctionForm::one_plus:
      return emit_one_plus_tanh(e_, operands[0]);
    case FunctionForm::divisor:
      return emit_divisor_of_tanh(e_, operands[0]);
    case FunctionForm::half_quotient:
      return e_.b.CreateFDiv(operands[0], operands[1]);
    case FunctionForm::gated_tanh:
      return emit_gated_tanh(e_, operands[0], operands[1]);
    case FunctionForm::one_minus_square:
      return e_.b.CreateFMul(operands[0], e_.b.CreateFSub(real(operands[0], 2), operands[0]));
    case FunctionForm::operand:
      return operands[s_.instr(at.operands[0]).kind == InstrKind::constant ? 1 : 0];
    case FunctionForm::scaled_log:
      return emit_scaled_log(e_, operands[0], s_.form_of(number).scale);
    case FunctionForm::tan:
      return emit_tan(e_, operands[0]);
    case FunctionForm::plain:
    case FunctionForm::unread:
    case FunctionForm::numbers_alone:
    case FunctionForm::at_least_one:
      break;
  }
  return emit_compute(e_, at.op, s_.instr(at.operands.back()).dtype, operands);
}

}  // namespace wick::codegen::llvm_jit
