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

// Adding and subtracting 1.5 * 2^23 rounds to a whole number.
constexpr double kRounder = 0x1.8p23;

/// NaN gives some number: what that scales is NaN already.
llvm::Value* to_whole(EmitContext& e, llvm::Value* exponent) {
  llvm::Type* type = shaped(e.b.getInt32Ty(), exponent);
  return e.b.CreateFreeze(e.b.CreateFPToSI(exponent, type));
}

llvm::Value* two_to(EmitContext& e, llvm::Value* exponent) {
  llvm::Value* biased = e.b.CreateAdd(exponent, integer(exponent, 127));
  return e.b.CreateBitCast(e.b.CreateShl(biased, 23), shaped(e.b.getFloatTy(), exponent));
}

/// e^x = 2^exponent * (1 + rest), with |rest| < 0.42.
struct ReducedPower {
  llvm::Value* exponent;
  llvm::Value* rest;
};

/// For |x| < 2^20. `is_short`: |x| is at most 20.
ReducedPower reduce(EmitContext& e, llvm::Value* x, bool is_short) {
  auto& b = e.b;
  llvm::Value* n = e.fma(x, real(x, std::numbers::log2e), real(x, kRounder));
  n = b.CreateFSub(n, real(x, kRounder));
  llvm::Value* r = nullptr;
  if (is_short && e.host.fma) {
    r = e.fma(n, real(x, -std::numbers::ln2), x);
  } else {
    r = e.fma(n, real(x, -kLn2High), x);
    r = e.fma(n, real(x, -kLn2Low), r);
  }
  return {n, e.fma(b.CreateFMul(r, r), e.polynomial(r, kExp), r)};
}

/// value * 2^exponent where neither that nor 2^exponent leaves the normal range.
llvm::Value* scale_in_range(EmitContext& e, llvm::Value* value, llvm::Value* exponent) {
  if (e.has_avx512_for(value)) return scale_by_power(e, value, exponent);
  return e.b.CreateFMul(value, two_to(e, to_whole(e, exponent)));
}

/// The larger of `low` and x; NaN is the second operand, which the machine's maximum gives back.
llvm::Value* at_least(EmitContext& e, llvm::Value* x, double low) {
  return e.b.CreateSelect(e.b.CreateFCmpOGT(real(x, low), x), real(x, low), x);
}

/// 1 / y for y in [1, 2], to a few digits.
llvm::Value* rough_inverse(EmitContext& e, llvm::Value* y) {
  if (!e.has_avx512_for(y)) return e.fma(y, real(y, -0.5), real(y, 1.5));
  return e.by_register({y}, [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
    return e.b.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_rcp14_ps_512, {}, {part[0], zero, e.b.getInt16(0xFFFF)});
  });
}

/// x / (y + y_rest) for y in [1, 2], to little more than half an ulp. `y_rest` is what rounding
/// took from y.
llvm::Value* divide_by_small(EmitContext& e, llvm::Value* x, llvm::Value* y, llvm::Value* y_rest) {
  auto& b = e.b;
  if (!e.host.fma) {
    llvm::Type* wide = shaped(b.getDoubleTy(), x);
    llvm::Value* exact = b.CreateFAdd(b.CreateFPExt(y, wide), b.CreateFPExt(y_rest, wide));
    return b.CreateFPTrunc(b.CreateFDiv(b.CreateFPExt(x, wide), exact), x->getType());
  }
  // The machine has one slow unit for divisions: what rcp14 knows is enough to go on from.
  llvm::Value* inverse = rough_inverse(e, y);
  llvm::Value* quotient = e.has_avx512_for(y) ? b.CreateFMul(x, inverse) : b.CreateFDiv(x, y);
  llvm::Value* missing = e.fma(b.CreateFNeg(quotient), y, x);
  missing = e.fma(b.CreateFNeg(quotient), y_rest, missing);
  return e.fma(missing, inverse, quotient);
}

}  // namespace

llvm::Value* scale_by_power(EmitContext& e, llvm::Value* value, llvm::Value* exponent) {
  auto& b = e.b;
  if (e.has_avx512_for(value)) {
    constexpr int kCurrentRounding = 4;
    const auto scale = [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
      llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
      return b.CreateIntrinsic(
          llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
          {},
          {part[0], part[1], zero, b.getInt16(0xFFFF), b.getInt32(kCurrentRounding)});
    };
    return e.by_register({value, exponent}, scale);
  }
  // In two steps, so that neither power leaves the range and only the last product rounds.
  llvm::Value* whole = to_whole(e, exponent);
  llvm::Value* half = b.CreateAShr(whole, 1);
  llvm::Value* scaled = b.CreateFMul(value, two_to(e, half));
  return b.CreateFMul(scaled, two_to(e, b.CreateSub(whole, half)));
}

llvm::Value* emit_short_exp(EmitContext& e, llvm::Value* x) {
  const ReducedPower power = reduce(e, x, true);
  return scale_in_range(e, e.b.CreateFAdd(power.rest, real(x, 1)), power.exponent);
}

llvm::Value* emit_exp(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Beyond these the result is infinite or 0 all the same. How far beyond decides the speed: powers
  // just below the smallest number take the machine a hundred cycles, those far below none.
  llvm::Value* high = real(x, 89);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(high, x), high, x);
  if (e.has_avx512_for(x)) {
    bounded = b.CreateSelect(b.CreateFCmpOLT(x, real(x, -104)), real(x, -1000), bounded);
  } else {
    bounded = at_least(e, bounded, -170);  // half the power is a normal number
  }
  const ReducedPower power = reduce(e, bounded, false);
  return scale_by_power(e, b.CreateFAdd(power.rest, real(x, 1)), power.exponent);
}

llvm::Value* emit_sigmoid(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of s = exp(-|x|), which does not overflow: 1 / (1 + s) above 0, s / (1 + s) below.
  llvm::Value* small = emit_exp(e, b.CreateFNeg(e.unary(llvm::Intrinsic::fabs, x)));
  llvm::Value* one = real(x, 1);
  llvm::Value* sum = b.CreateFAdd(small, one);
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, real(x, 0)), small, one);
  // Without what the sum lost to rounding the worst error is 2.1 ulp.
  llvm::Value* lost = b.CreateFSub(small, b.CreateFSub(sum, one));
  return divide_by_small(e, top, sum, lost);
}

llvm::Value* emit_tanh(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of m = exp(-2 |x|) - 1, which is accurate near 0 as well: -m / (2 + m). From 10 on that is 1.
  llvm::Value* half = at_least(e, b.CreateFNeg(e.unary(llvm::Intrinsic::fabs, x)), -10);
  const ReducedPower power = reduce(e, b.CreateFAdd(half, half), true);
  llvm::Value* scale = scale_in_range(e, real(x, 1), power.exponent);
  llvm::Value* m = e.fma(scale, power.rest, b.CreateFSub(scale, real(x, 1)));
  llvm::Value* sum = b.CreateFAdd(m, real(x, 2));
  llvm::Value* lost = b.CreateFSub(m, b.CreateFSub(sum, real(x, 2)));
  llvm::Value* magnitude = divide_by_small(e, m, sum, lost);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, x);
}

}  // namespace wick::codegen::llvm_jit
