#include "wick/codegen/llvm/math.h"

#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

bool is_double(const llvm::Value* x) {
  return x->getType()->getScalarType()->isDoubleTy();
}

}  // namespace

llvm::Value* emit_math(EmitContext& e, OpKind op, llvm::Value* x, bool never_positive) {
  // Compensated sums must stay as written; multiply-adds are spelled out.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  const bool f64 = is_double(x);
  switch (op) {
    case OpKind::exp:
      return f64 ? emit_exp_f64(e, x) : emit_exp(e, x, never_positive);
    case OpKind::log:
      return f64 ? emit_log_f64(e, x) : emit_log(e, x);
    case OpKind::sin:
      return f64 ? emit_sin_f64(e, x) : emit_sin(e, x);
    case OpKind::cos:
      return f64 ? emit_cos_f64(e, x) : emit_cos(e, x);
    case OpKind::atan:
      return f64 ? emit_atan_f64(e, x) : emit_atan(e, x);
    case OpKind::tanh:
      return f64 ? emit_tanh_f64(e, x) : emit_tanh(e, x);
    case OpKind::erf:
      return f64 ? emit_erf_f64(e, x) : emit_erf(e, x);
    case OpKind::sigmoid:
      return f64 ? emit_sigmoid_f64(e, x) : emit_sigmoid(e, x);
    default:
      check(false, "an elementary function");
      return nullptr;
  }
}

llvm::Value* emit_pow(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  return is_double(x) ? emit_pow_f64(e, x, y) : emit_pow_f32(e, x, y);
}

}  // namespace wick::codegen::llvm_jit
