// sin, cos and tan of f32. The argument is reduced in double with pi/2 in two parts: the error is
// below 2^-50 up to |x| = 2^40. Larger arguments, which hardly occur, call the C library lane by
// lane.

#include <numbers>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4, in r^2, for |r| <= pi / 4.
constexpr double kSin[] = {-0x1.555556p-3, 0x1.111176p-7, -0x1.a05ba8p-13, 0x1.7ccf1p-19};
constexpr double kCos[] = {0x1.555556p-5, -0x1.6c1762p-10, 0x1.a075d6p-16, -0x1.371b8ep-22};
// (tan(r) / r - 1) / r^2 in r^2, for |r| <= pi / 4: relative error of tan 2^-27.9, in doubles.
constexpr double kTan[] = {0x1.555555c4c926dp-2,
                           0x1.11108727da88fp-3,
                           0x1.ba52c4432867fp-5,
                           0x1.623af3ee2b553p-6,
                           0x1.4682f9c360024p-7,
                           0x1.35ce1d1dc25b2p-10,
                           0x1.f80037d85cf60p-9};
constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
constexpr double kLargest = 0x1p40;
// Without fused multiply-add products must be exact by themselves: parts of 33 bits, for n of 20.
constexpr double kHalfPiParts[] = {
    0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};
constexpr double kLargestUnfused = 0x1p20;

/// x = n pi/2 + r; `quadrant` is n, of which the lowest two bits count.
struct Reduced {
  llvm::Value* r;  // doubles
  llvm::Value* quadrant;
};

Reduced reduce(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* wide = b.CreateFPExt(x, shaped(b.getDoubleTy(), x));
  llvm::Value* n =
      e.unary(llvm::Intrinsic::roundeven, b.CreateFMul(wide, real(wide, 2 * std::numbers::inv_pi)));
  llvm::Value* r = wide;
  if (e.host.fma) {
    r = e.fma(n, real(n, -kHalfPiHigh), r);
    r = e.fma(n, real(n, -kHalfPiLow), r);
  } else {
    for (const double part : kHalfPiParts)
      r = b.CreateFSub(r, b.CreateFMul(n, real(n, part)));
  }
  // Adding 1.5 * 2^52 leaves the integer in the lowest bits of the pattern.
  llvm::Value* pattern =
      b.CreateBitCast(b.CreateFAdd(n, real(n, 0x1.8p52)), shaped(b.getInt64Ty(), x));
  return {r, b.CreateTrunc(pattern, shaped(b.getInt32Ty(), x))};
}

llvm::Value* sine_of(EmitContext& e, const Reduced& reduced) {
  auto& b = e.b;
  llvm::Value* r = b.CreateFPTrunc(reduced.r, shaped(b.getFloatTy(), reduced.r));
  llvm::Value* square = b.CreateFMul(r, r);
  llvm::Value* sine = e.fma(b.CreateFMul(square, r), e.polynomial(square, kSin), r);
  llvm::Value* cosine = e.fma(square, real(r, -0.5), real(r, 1));
  cosine = e.fma(b.CreateFMul(square, square), e.polynomial(square, kCos), cosine);
  return sine_in_quadrant(e, reduced.quadrant, sine, cosine);
}

/// `fast`, but -0, which comes out as 0.
llvm::Value* with_signed_zero(EmitContext& e, llvm::Value* x, llvm::Value* fast) {
  return e.b.CreateSelect(e.b.CreateFCmpOEQ(x, real(x, 0)), x, fast);
}

llvm::Value* is_odd(EmitContext& e, llvm::Value* quadrant) {
  return e.b.CreateICmpNE(e.b.CreateAnd(quadrant, integer(quadrant, 1)), integer(quadrant, 0));
}

double largest_reducible(const EmitContext& e) {
  return e.host.fma ? kLargest : kLargestUnfused;
}

}  // namespace

llvm::Value* sine_in_quadrant(EmitContext& e,
                              llvm::Value* quadrant,
                              llvm::Value* sine,
                              llvm::Value* cosine) {
  auto& b = e.b;
  llvm::Value* value = b.CreateSelect(is_odd(e, quadrant), cosine, sine);
  // Bit 1 of the quadrant becomes the sign.
  const unsigned to_sign = quadrant->getType()->getScalarSizeInBits() - 2;
  llvm::Value* sign = b.CreateShl(b.CreateAnd(quadrant, integer(quadrant, 2)), to_sign);
  llvm::Value* bits = b.CreateBitCast(value, quadrant->getType());
  return b.CreateBitCast(b.CreateXor(bits, sign), sine->getType());
}

llvm::Value* emit_sin(EmitContext& e, llvm::Value* x) {
  llvm::Value* fast = with_signed_zero(e, x, sine_of(e, reduce(e, x)));
  return by_lane_above(e, largest_reducible(e), "sinf", x, fast);
}

llvm::Value* emit_cos(EmitContext& e, llvm::Value* x) {
  Reduced reduced = reduce(e, x);
  reduced.quadrant = e.b.CreateAdd(reduced.quadrant, integer(reduced.quadrant, 1));
  return by_lane_above(e, largest_reducible(e), "cosf", x, sine_of(e, reduced));
}

llvm::Value* emit_tan(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  // In doubles until the tangent of r, so that only it and the quotient round.
  const auto [r, quadrant] = reduce(e, x);
  llvm::Value* square = b.CreateFMul(r, r);
  llvm::Value* wide = e.fma(b.CreateFMul(square, r), e.polynomial(square, kTan), r);
  llvm::Value* tangent = b.CreateFPTrunc(wide, x->getType());
  llvm::Value* fast =
      b.CreateSelect(is_odd(e, quadrant), b.CreateFDiv(real(x, -1), tangent), tangent);
  return by_lane_above(e, largest_reducible(e), "tanf", x, with_signed_zero(e, x, fast));
}

}  // namespace wick::codegen::llvm_jit
