// sin, cos and atan of f64. Coefficients interpolate at Chebyshev points in 60 digits, rounded to
// f64.

#include <numbers>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4, in r^2, for |r| <= pi / 4: relative
// errors of 2^-57 and 2^-59.
constexpr double kSin[] = {-0x1.5555555555555p-3,
                           0x1.1111111111110p-7,
                           -0x1.a01a01a01992fp-13,
                           0x1.71de3a545f836p-19,
                           -0x1.ae645410e937bp-26,
                           0x1.61217d9252c03p-33,
                           -0x1.ab16f5caa192ap-41};
constexpr double kCos[] = {0x1.5555555555555p-5,
                           -0x1.6c16c16c16963p-10,
                           0x1.a01a019f4ddfdp-16,
                           -0x1.27e4fa16cc2b4p-22,
                           0x1.1eeb67d0257eep-29,
                           -0x1.907cd8fe879bep-37};
// pi/2 in three parts. Products of the first, of 33 bits, with integers of 20 bits are exact.
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a626331p-34;
constexpr double kHalfPi3 = 0x1.1701b839a2520p-88;
constexpr double kLargest = 0x1p20;

// (atan(r) / r - 1) / r^2 in r^2, for |r| <= tan(pi / 8): relative error of atan 2^-58.
constexpr double kAtan[] = {-0x1.5555555555555p-2,
                            0x1.9999999999952p-3,
                            -0x1.249249248d739p-3,
                            0x1.c71c71c2fc236p-4,
                            -0x1.745d165c497f3p-4,
                            0x1.3b1392a9c2d8ap-4,
                            -0x1.110e84aa36d92p-4,
                            0x1.e199c62156541p-5,
                            -0x1.ac7858539df7cp-5,
                            0x1.74d3a7b43205ap-5,
                            -0x1.1b1992aa3e38dp-5,
                            0x1.0a997ba336052p-6};
constexpr double kTanEighthPi = std::numbers::sqrt2 - 1;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;  // what pi / 2 is above its f64

/// x = n pi/2 + r + r_rest with |r_rest| of at most half a place of r; the lowest two bits of
/// `quadrant` are those of n.
struct Reduced {
  llvm::Value* r;
  llvm::Value* r_rest;
  llvm::Value* quadrant;
};

/// Cody and Waite's reduction (1980) with what each step rounds off, for |x| up to kLargest. No f64
/// below that is closer to a multiple of pi/2 than 2^-61 (the closest is near 29 pi/2), where r
/// still has all its bits.
Reduced reduce(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* n =
      e.unary(llvm::Intrinsic::roundeven, b.CreateFMul(x, real(x, 2 * std::numbers::inv_pi)));
  llvm::Value* first = e.fma(n, real(x, -kHalfPi1), x);  // exact
  llvm::Value* second = b.CreateFMul(n, real(x, kHalfPi2));
  llvm::Value* second_rest = e.fma(n, real(x, kHalfPi2), b.CreateFNeg(second));
  // Knuth's difference and its error.
  llvm::Value* high = b.CreateFSub(first, second);
  llvm::Value* taken = b.CreateFSub(high, first);
  llvm::Value* error =
      b.CreateFSub(b.CreateFSub(first, b.CreateFSub(high, taken)), b.CreateFAdd(second, taken));
  llvm::Value* low = e.fma(n, real(x, -kHalfPi3), b.CreateFSub(error, second_rest));
  llvm::Value* r = b.CreateFAdd(high, low);
  llvm::Value* r_rest = b.CreateFAdd(b.CreateFSub(high, r), low);
  // Adding 1.5 * 2^52 leaves the integer in the lowest bits of the pattern.
  llvm::Value* pattern =
      b.CreateBitCast(b.CreateFAdd(n, real(n, 0x1.8p52)), shaped(b.getInt64Ty(), x));
  return {r, r_rest, pattern};
}

llvm::Value* sine_of(EmitContext& e, const Reduced& reduced) {
  auto& b = e.b;
  llvm::Value* r = reduced.r;
  llvm::Value* square = b.CreateFMul(r, r);
  llvm::Value* half = b.CreateFMul(square, real(r, 0.5));
  llvm::Value* top = b.CreateFSub(real(r, 1), half);
  // To first order r_rest adds its product with cos(r) to the sine and takes that with sin(r) from
  // the cosine.
  llvm::Value* sine = e.fma(
      b.CreateFMul(square, r), e.split_polynomial(square, kSin), b.CreateFMul(reduced.r_rest, top));
  sine = b.CreateFAdd(r, sine);
  llvm::Value* rounded_off = b.CreateFSub(b.CreateFSub(real(r, 1), top), half);
  rounded_off = e.fma(b.CreateFNeg(r), reduced.r_rest, rounded_off);
  llvm::Value* cosine =
      e.fma(b.CreateFMul(square, square), e.split_polynomial(square, kCos), rounded_off);
  cosine = b.CreateFAdd(top, cosine);
  return sine_in_quadrant(e, reduced.quadrant, sine, cosine);
}

}  // namespace

llvm::Value* emit_sin_f64(EmitContext& e, llvm::Value* x) {
  // What a product rounds off is as dear as the C library without fused multiply-add.
  if (!e.host.fma) return call_by_lane(e, "sin", {x});
  llvm::Value* fast = sine_of(e, reduce(e, x));
  // -0 comes out as 0.
  fast = e.b.CreateSelect(e.b.CreateFCmpOEQ(x, real(x, 0)), x, fast);
  return by_lane_above(e, kLargest, "sin", x, fast);
}

llvm::Value* emit_cos_f64(EmitContext& e, llvm::Value* x) {
  if (!e.host.fma) return call_by_lane(e, "cos", {x});
  Reduced reduced = reduce(e, x);
  reduced.quadrant = e.b.CreateAdd(reduced.quadrant, integer(reduced.quadrant, 1));
  return by_lane_above(e, kLargest, "cos", x, sine_of(e, reduced));
}

llvm::Value* emit_atan_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // atan(x) = pi/4 + atan((x - 1) / (x + 1)) = pi/2 + atan(-1 / x). Unordered is near, where NaN
  // passes through.
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* one = real(x, 1);
  llvm::Value* is_far = b.CreateFCmpOGT(magnitude, real(x, kTanEighthPi + 2));
  llvm::Value* is_middle = b.CreateFCmpOGT(magnitude, real(x, kTanEighthPi));
  const auto choose = [&](llvm::Value* far, llvm::Value* middle, llvm::Value* near) {
    return b.CreateSelect(is_far, far, b.CreateSelect(is_middle, middle, near));
  };
  llvm::Value* top = choose(real(x, -1), b.CreateFSub(magnitude, one), magnitude);
  llvm::Value* bottom = choose(magnitude, b.CreateFAdd(magnitude, one), one);
  llvm::Value* r = b.CreateFDiv(top, bottom);
  constexpr double kHalfPi = std::numbers::pi / 2;
  llvm::Value* base = choose(real(x, kHalfPi), real(x, kHalfPi / 2), real(x, 0));
  llvm::Value* base_rest = choose(real(x, kHalfPiLow), real(x, kHalfPiLow / 2), real(x, 0));
  llvm::Value* square = b.CreateFMul(r, r);
  llvm::Value* tail = e.fma(b.CreateFMul(square, r), e.split_polynomial(square, kAtan), base_rest);
  llvm::Value* angle = b.CreateFAdd(base, b.CreateFAdd(r, tail));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, angle, x);
}

}  // namespace wick::codegen::llvm_jit
