// pow of f32, computed in double: y log2|x| needs 32 bits more than float has.

#include <limits>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// log2((1 + s) / (1 - s)) / s in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): error 2^-54.
constexpr double kLog2[] = {0x1.71547652b82fep+1,
                            0x1.ec709dc3a08f6p-1,
                            0x1.2776c50e495a4p-1,
                            0x1.a61763cf20a39p-2,
                            0x1.484a9c582c773p-2,
                            0x1.0cb40970e5d5cp-2,
                            0x1.c0ce012cba9d6p-3,
                            0x1.d8f46f0313a5bp-3};
// 2^f for |f| <= 1/2: 2^-41.4.
constexpr double kExp2[] = {0x1.000000000003ap+0,
                            0x1.62e42fefa372ep-1,
                            0x1.ebfbdff815465p-3,
                            0x1.c6b08d70da3c8p-5,
                            0x1.3b2ab72a514e2p-7,
                            0x1.5d87fd803bc1fp-10,
                            0x1.43088f0b78eb5p-13,
                            0x1.ffce562b1654fp-17,
                            0x1.63f391f99d58ep-20,
                            0x1.b44796cb0871ap-24};

/// Of a positive finite float in double, which is always normal there.
llvm::Value* log2_of(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Type* i64 = shaped(b.getInt64Ty(), x);
  llvm::Value* bits = b.CreateBitCast(x, i64);
  llvm::Value* shifted = b.CreateSub(bits, integer(bits, 0x3FE6A09E667F3BCD));
  llvm::Value* exponent = b.CreateAShr(shifted, 52);
  llvm::Value* m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(exponent, 52)), x->getType());
  llvm::Value* s = b.CreateFDiv(b.CreateFSub(m, real(x, 1)), b.CreateFAdd(m, real(x, 1)));
  llvm::Value* fraction = b.CreateFMul(s, e.split_polynomial(b.CreateFMul(s, s), kLog2));
  return b.CreateFAdd(b.CreateSIToFP(exponent, x->getType()), fraction);
}

/// Of a double between -200 and 200.
llvm::Value* exp2_of(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* n = e.unary(llvm::Intrinsic::roundeven, x);
  llvm::Value* mantissa = e.split_polynomial(b.CreateFSub(x, n), kExp2);
  llvm::Value* whole = b.CreateFPToSI(n, shaped(b.getInt32Ty(), x));
  llvm::Value* bits = b.CreateSExt(whole, shaped(b.getInt64Ty(), x));
  llvm::Value* power = b.CreateShl(b.CreateAdd(bits, integer(bits, 1023)), 52);
  return b.CreateFMul(mantissa, b.CreateBitCast(power, x->getType()));
}

llvm::Value* any_of(EmitContext& e, llvm::ArrayRef<llvm::Value*> conditions) {
  llvm::Value* any = conditions[0];
  for (llvm::Value* condition : conditions.drop_front())
    any = e.b.CreateOr(any, condition);
  return any;
}

}  // namespace

llvm::Value* with_special_powers(EmitContext& e,
                                 llvm::Value* x,
                                 llvm::Value* y,
                                 llvm::Value* power) {
  auto& b = e.b;
  const double kInfinity = std::numeric_limits<double>::infinity();
  llvm::Value* zero = real(x, 0);
  llvm::Value* one = real(x, 1);
  llvm::Value* infinity = real(x, kInfinity);
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* y_magnitude = e.unary(llvm::Intrinsic::fabs, y);
  llvm::Value* y_integral = b.CreateFCmpOEQ(e.unary(llvm::Intrinsic::trunc, y), y);
  llvm::Value* half = b.CreateFMul(y, real(y, 0.5));
  llvm::Value* y_odd = b.CreateAnd(
      b.CreateAnd(y_integral, b.CreateFCmpONE(e.unary(llvm::Intrinsic::trunc, half), half)),
      b.CreateFCmpOLT(y_magnitude, infinity));
  llvm::Value* y_negative = b.CreateFCmpOLT(y, zero);

  // |x| is 0 or infinite: the result is one of these two as well.
  llvm::Value* x_zero = b.CreateFCmpOEQ(x, zero);
  llvm::Value* x_infinite = b.CreateFCmpOEQ(magnitude, infinity);
  llvm::Value* is_large = b.CreateXor(x_zero, b.CreateNot(y_negative));
  llvm::Value* result = b.CreateSelect(
      b.CreateOr(x_zero, x_infinite), b.CreateSelect(is_large, infinity, zero), power);
  // |y| is infinite: grows, shrinks, or stays 1.
  llvm::Value* y_infinite = b.CreateFCmpOEQ(y_magnitude, infinity);
  llvm::Value* grows = b.CreateXor(b.CreateFCmpOGT(magnitude, one), y_negative);
  llvm::Value* limit = b.CreateSelect(grows, infinity, zero);
  limit = b.CreateSelect(b.CreateFCmpOEQ(magnitude, one), one, limit);
  result = b.CreateSelect(y_infinite, limit, result);
  // The sign of x counts for odd y; a negative number has no other real power.
  llvm::Value* with_sign = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  result = b.CreateSelect(y_odd, with_sign, result);
  llvm::Value* x_negative = b.CreateAnd(b.CreateFCmpOLT(x, zero), b.CreateNot(x_infinite));
  llvm::Value* undefined = b.CreateAnd(x_negative, b.CreateNot(y_integral));
  undefined = b.CreateAnd(undefined, b.CreateNot(y_infinite));
  llvm::Value* nan = real(x, std::numeric_limits<double>::quiet_NaN());
  result = b.CreateSelect(any_of(e, {undefined, b.CreateFCmpUNO(x, y)}), nan, result);
  return b.CreateSelect(b.CreateOr(b.CreateFCmpOEQ(x, one), b.CreateFCmpOEQ(y, zero)), one, result);
}

llvm::Value* emit_pow_f32(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  llvm::Type* f64 = shaped(b.getDoubleTy(), x);
  llvm::Value* wide_x = b.CreateFPExt(e.unary(llvm::Intrinsic::fabs, x), f64);
  llvm::Value* exponent = b.CreateFMul(log2_of(e, wide_x), b.CreateFPExt(y, f64));
  // Also turns NaN into a number, which with_special_powers replaces.
  llvm::Value* low = real(exponent, -200);
  llvm::Value* high = real(exponent, 200);
  exponent = b.CreateSelect(b.CreateFCmpOGT(exponent, low), exponent, low);
  exponent = b.CreateSelect(b.CreateFCmpOLT(exponent, high), exponent, high);
  llvm::Value* power = b.CreateFPTrunc(exp2_of(e, exponent), x->getType());
  return with_special_powers(e, x, y, power);
}

}  // namespace wick::codegen::llvm_jit
