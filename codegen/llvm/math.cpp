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

llvm::Value* to_whole(EmitContext& e, llvm::Value* n) {
  auto& b = e.b;
  llvm::Type* bits = shaped(b.getIntNTy(n->getType()->getScalarSizeInBits()), n);
  // In the sum the lowest bits are the integer.
  llvm::Value* shift = real(n, is_double(n) ? 0x1.8p52 : 0x1.8p23);
  return b.CreateSub(b.CreateBitCast(b.CreateFAdd(n, shift), bits), b.CreateBitCast(shift, bits));
}

llvm::Value* two_to(EmitContext& e, llvm::Value* exponent, llvm::Type* type) {
  const bool f64 = type->getScalarType()->isDoubleTy();
  llvm::Value* biased = e.b.CreateAdd(exponent, integer(exponent, f64 ? 1023 : 127));
  return e.b.CreateBitCast(e.b.CreateShl(biased, f64 ? 52 : 23), type);
}

llvm::Value* scale_by_power(EmitContext& e, llvm::Value* value, llvm::Value* exponent) {
  auto& b = e.b;
  if (e.has_avx512_for(value)) return scale_by_instruction(e, value, exponent);
  // In two steps, so that neither power leaves the range and only the last product rounds.
  llvm::Value* whole = to_whole(e, exponent);
  llvm::Value* half = b.CreateAShr(whole, 1);
  llvm::Value* scaled = b.CreateFMul(value, two_to(e, half, value->getType()));
  return b.CreateFMul(scaled, two_to(e, b.CreateSub(whole, half), value->getType()));
}

}  // namespace wick::codegen::llvm_jit
