// exp, sigmoid and tanh of f32. Coefficients are minimax polynomials of our own (Remez exchange in
// 40 digits, each coefficient rounded to f32 before the next is fitted).

#include <numbers>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2: relative error of e^r 2^-28.2.
constexpr double kExp[] = {
    0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d76p-7, 0x1.6ab924p-10};
// ln 2 in two parts; products of the upper one with n are exact.
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;

// (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625: 2^-27.7.
constexpr double kTanh[] = {
    -0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5, 0x1.51f8cep-6, -0x1.750ce4p-8};

llvm::Value* two_to(EmitContext& e, llvm::Value* exponent) {
  llvm::Value* biased = e.b.CreateAdd(exponent, integer(exponent, 127));
  return e.b.CreateBitCast(e.b.CreateShl(biased, 23), shaped(e.b.getFloatTy(), exponent));
}

/// 1 + r + r^2 * p(r) with the last operation rounding to nearly half an ulp.
llvm::Value* exp_polynomial(EmitContext& e, llvm::Value* r) {
  llvm::Value* tail = e.polynomial(r, kExp);
  llvm::Value* sum = e.fma(e.b.CreateFMul(r, r), tail, r);
  return e.b.CreateFAdd(sum, real(r, 1));
}

}  // namespace

llvm::Value* scale_by_power(EmitContext& e, llvm::Value* value, llvm::Value* exponent) {
  auto& b = e.b;
  if (e.host.avx512 && is_vector(value) && e.lanes == 16) {
    constexpr int kCurrentRounding = 4;
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
                             {},
                             {value,
                              exponent,
                              llvm::Constant::getNullValue(value->getType()),
                              b.getInt16(0xFFFF),
                              b.getInt32(kCurrentRounding)});
  }
  // In two steps, so that neither power leaves the range and only the last product rounds.
  llvm::Value* whole = b.CreateFPToSI(exponent, shaped(b.getInt32Ty(), value));
  llvm::Value* half = b.CreateAShr(whole, 1);
  llvm::Value* scaled = b.CreateFMul(value, two_to(e, half));
  return b.CreateFMul(scaled, two_to(e, b.CreateSub(whole, half)));
}

llvm::Value* emit_exp_reduced(EmitContext& e, llvm::Value* x, bool full_range) {
  auto& b = e.b;
  llvm::Value* n =
      e.unary(llvm::Intrinsic::roundeven, b.CreateFMul(x, real(x, std::numbers::log2e)));
  llvm::Value* r = e.fma(n, real(x, -kLn2High), x);
  r = e.fma(n, real(x, -kLn2Low), r);
  llvm::Value* mantissa = exp_polynomial(e, r);
  if (full_range || (e.host.avx512 && is_vector(x))) return scale_by_power(e, mantissa, n);
  llvm::Value* whole = b.CreateFPToSI(n, shaped(b.getInt32Ty(), x));
  return b.CreateFMul(mantissa, two_to(e, whole));
}

llvm::Value* emit_exp(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Beyond these the result is infinite or 0 all the same. NaN is the second operand, which the
  // machine's minimum and maximum give back.
  llvm::Value* high = real(x, 89);
  llvm::Value* low = real(x, -104.5);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(high, x), high, x);
  bounded = b.CreateSelect(b.CreateFCmpOGT(low, bounded), low, bounded);
  llvm::Value* result = emit_exp_reduced(e, bounded, true);
  if (is_vector(x) && e.host.avx512) return result;
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);  // no conversion of NaN to int
}

llvm::Value* emit_sigmoid(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of s = exp(-|x|), which does not overflow: 1 / (1 + s) above 0, s / (1 + s) below.
  llvm::Value* small = emit_exp(e, b.CreateFNeg(e.unary(llvm::Intrinsic::fabs, x)));
  llvm::Value* one = real(x, 1);
  llvm::Value* sum = b.CreateFAdd(small, one);
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, real(x, 0)), small, one);
  llvm::Value* quotient = b.CreateFDiv(top, sum);
  // Without what the sum lost to rounding the worst error is 2.1 ulp. It needs few digits, so
  // 1 - s / 2 stands for 1 / (1 + s).
  llvm::Value* lost = b.CreateFSub(small, b.CreateFSub(sum, one));
  llvm::Value* slope = b.CreateFMul(e.fma(small, real(x, 0.5), real(x, -1)), lost);
  return e.fma(quotient, slope, quotient);
}

llvm::Value* emit_tanh(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  // Near 0: x + x^3 p(x^2).
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* cubic = b.CreateFMul(b.CreateFMul(square, x), e.polynomial(square, kTanh));
  llvm::Value* near = b.CreateFAdd(x, cubic);
  // Elsewhere 1 - 2 / (exp(2 |x|) + 1); from 10 on that is 1. NaN stays in the second operand.
  llvm::Value* limit = real(x, 10);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(limit, magnitude), limit, magnitude);
  llvm::Value* power = emit_exp_reduced(e, b.CreateFAdd(bounded, bounded), false);
  llvm::Value* quotient = b.CreateFDiv(real(x, 2), b.CreateFAdd(power, real(x, 1)));
  llvm::Value* far = b.CreateFSub(real(x, 1), quotient);
  // Unordered is near, where NaN passes through. The sign is set last: near makes -0 a 0.
  llvm::Value* result = b.CreateSelect(b.CreateFCmpOGT(magnitude, real(x, 0.625)), far, near);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

}  // namespace wick::codegen::llvm_jit
