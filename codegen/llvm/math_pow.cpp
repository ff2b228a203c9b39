// pow: what is computed for positive finite numbers, and zeros, infinities, NaN and negative ones.

#include "wick/codegen/llvm/math_pow.h"

#include <limits>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

/// `power`, of |x| and y, where x is positive and both are finite; what C's pow gives else.
llvm::Value* corrected(EmitContext& e, llvm::Value* x, llvm::Value* y, llvm::Value* power) {
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
  result = b.CreateSelect(b.CreateOr(undefined, b.CreateFCmpUNO(x, y)), nan, result);
  return b.CreateSelect(b.CreateOr(b.CreateFCmpOEQ(x, one), b.CreateFCmpOEQ(y, zero)), one, result);
}

/// Whether x is positive and both are finite.
llvm::Value* is_usual(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  llvm::Value* infinity = real(x, std::numeric_limits<double>::infinity());
  llvm::Type* bits = shaped(b.getIntNTy(x->getType()->getScalarSizeInBits()), x);
  llvm::Value* one = llvm::ConstantInt::get(bits, 1);
  // Of what is not, the bits less 1 are as an unsigned number at least those of infinity less 1.
  const auto less_one = [&](llvm::Value* number) {
    return b.CreateSub(b.CreateBitCast(number, bits), one);
  };
  llvm::Value* x_usual = b.CreateICmpULT(less_one(x), less_one(infinity));
  return b.CreateAnd(x_usual, b.CreateFCmpOLT(e.unary(llvm::Intrinsic::fabs, y), infinity));
}

}  // namespace

llvm::Value* emit_pow(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  const llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  e.b.clearFastMathFlags();
  const bool f64 = x->getType()->getScalarType()->isDoubleTy();
  if (!e.host.fma) return call_by_lane(e, f64 ? "pow" : "powf", {x, y});
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  const SumOfTwo log = f64 ? log2_f64(e, magnitude) : log2_f32(e, magnitude);
  // Beyond these the result is infinite or 0. NaN becomes a number, which is replaced below.
  const SumOfTwo exponent = clamped(e, multiply(e, log, y), f64 ? 1100 : 200);
  llvm::Value* power = f64 ? exp2_f64(e, exponent) : exp2_f32(e, exponent);
  llvm::Value* is_special = e.b.CreateNot(is_usual(e, x, y));
  return unless_any(e, is_special, power, [&] { return corrected(e, x, y, power); });
}

}  // namespace wick::codegen::llvm_jit
