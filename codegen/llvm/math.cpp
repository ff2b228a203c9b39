#include "wick/codegen/llvm/math.h"

#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

bool is_double(const llvm::Value* x) {
  return x->getType()->getScalarType()->isDoubleTy();
}

llvm::Value* emit_sigmoid_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of exp(-|x|), which does not overflow: 1 / (1 + e) above 0, e / (1 + e) below.
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* small = emit_exp_f64(e, b.CreateFNeg(magnitude));
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, real(x, 0)), small, real(x, 1));
  return b.CreateFDiv(top, b.CreateFAdd(small, real(x, 1)));
}

llvm::Value* emit_f64(EmitContext& e, OpKind op, llvm::Value* x) {
  if (op == OpKind::exp) return emit_exp_f64(e, x);
  if (op == OpKind::log) return emit_log_f64(e, x);
  if (op == OpKind::sigmoid) return emit_sigmoid_f64(e, x);
  return call_by_lane(e, ir::to_string(op), {x});
}

}  // namespace

llvm::Value* emit_math(EmitContext& e, OpKind op, llvm::Value* x) {
  // Compensated sums must stay as written; multiply-adds are spelled out.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  if (is_double(x)) return emit_f64(e, op, x);
  switch (op) {
    case OpKind::exp:
      return emit_exp(e, x);
    case OpKind::log:
      return emit_log(e, x);
    case OpKind::sin:
      return emit_sin(e, x);
    case OpKind::cos:
      return emit_cos(e, x);
    case OpKind::atan:
      return emit_atan(e, x);
    case OpKind::tanh:
      return emit_tanh(e, x);
    case OpKind::erf:
      return emit_erf(e, x);
    case OpKind::sigmoid:
      return emit_sigmoid(e, x);
    default:
      check(false, "an elementary function");
      return nullptr;
  }
}

llvm::Value* emit_pow(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  return is_double(x) ? call_by_lane(e, "pow", {x, y}) : emit_pow_f32(e, x, y);
}

}  // namespace wick::codegen::llvm_jit
