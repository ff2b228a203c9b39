// exp, log, sigmoid and tanh of f64. Coefficients interpolate at Chebyshev points in 60 digits,
// rounded to f64.

#include <limits>
#include <numbers>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2: relative error of e^r 2^-60.
constexpr double kExp[] = {0x1p-1,
                           0x1.5555555555557p-3,
                           0x1.5555555555556p-5,
                           0x1.11111111100dcp-7,
                           0x1.6c16c16c162d4p-10,
                           0x1.a01a01abe7fe1p-13,
                           0x1.a01a01a6d889cp-16,
                           0x1.71de0231960ebp-19,
                           0x1.27e4db646b17ep-22,
                           0x1.af4de97ca4194p-26,
                           0x1.1f730349868cep-29};
// (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2, for 1 + f = (1 + s) / (1 - s) in [sqrt(1/2),
// sqrt(2)]: relative error of the logarithm 2^-60.
constexpr double kLog[] = {0x1.5555555555555p-1,
                           0x1.9999999999a38p-2,
                           0x1.2492492476c42p-2,
                           0x1.c71c720168526p-3,
                           0x1.745cf8fe328f9p-3,
                           0x1.3b1c36b445cebp-3,
                           0x1.0fbe71ad855c9p-3,
                           0x1.0c05166ec4148p-3};
// ln 2 in two parts; products of the upper one with exponents are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
// Added to an integral number of less than 52 bits, it leaves the integer in the lowest bits.
constexpr double kIntegerShift = 0x1.8p52;
constexpr int64_t kIntegerShiftBits = 0x4338000000000000;
constexpr int64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD;
constexpr int kMantissaBits = 52;

llvm::Type* i64_of(EmitContext& e, llvm::Value* x) {
  return shaped(e.b.getInt64Ty(), x);
}

/// x = n ln 2 + r with an integral n: e^x = 2^n (1 + rest).
struct ReducedPower {
  llvm::Value* n;
  llvm::Value* rest;
};

ReducedPower reduce(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* n =
      e.unary(llvm::Intrinsic::roundeven, b.CreateFMul(x, real(x, std::numbers::log2e)));
  llvm::Value* r = e.fma(n, real(x, -kLn2High), x);
  r = e.fma(n, real(x, -kLn2Low), r);
  return {n, e.fma(b.CreateFMul(r, r), e.split_polynomial(r, kExp), r)};
}

}  // namespace

BinaryParts binary_parts_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Denormals are scaled into the normal range first.
  llvm::Value* is_tiny = b.CreateFCmpOLT(x, real(x, 0x1p-1022));
  llvm::Value* scaled = b.CreateSelect(is_tiny, b.CreateFMul(x, real(x, 0x1p54)), x);
  llvm::Value* bits = b.CreateBitCast(scaled, i64_of(e, x));
  llvm::Value* shifted = b.CreateSub(bits, integer(bits, kSqrtHalfBits));
  llvm::Value* exponent = b.CreateAShr(shifted, kMantissaBits);
  llvm::Value* mantissa = b.CreateSub(bits, b.CreateShl(exponent, kMantissaBits));
  llvm::Value* whole = b.CreateAdd(exponent, integer(exponent, kIntegerShiftBits));
  llvm::Value* n = b.CreateFSub(b.CreateBitCast(whole, x->getType()), real(x, kIntegerShift));
  return {b.CreateSelect(is_tiny, b.CreateFSub(n, real(x, 54)), n),
          b.CreateBitCast(mantissa, x->getType())};
}

llvm::Value* emit_exp_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Beyond these the result is infinite or 0 all the same; just below the smallest number the
  // machine would take a hundred cycles to find that.
  llvm::Value* high = real(x, 710);
  llvm::Value* low = real(x, -1400);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(high, x), high, x);
  bounded = b.CreateSelect(b.CreateFCmpOGT(low, bounded), low, bounded);
  const ReducedPower power = reduce(e, bounded);
  llvm::Value* result = scale_by_power(e, b.CreateFAdd(power.rest, real(x, 1)), power.n);
  if (e.has_avx512_for(x)) return result;
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
}

llvm::Value* emit_sigmoid_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of exp(-|x|), which does not overflow: 1 / (1 + e) above 0, e / (1 + e) below.
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* small = emit_exp_f64(e, b.CreateFNeg(magnitude));
  llvm::Value* top = b.CreateSelect(b.CreateFCmpOLT(x, real(x, 0)), small, real(x, 1));
  return b.CreateFDiv(top, b.CreateFAdd(small, real(x, 1)));
}

llvm::Value* emit_tanh_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Of m = exp(-2 |x|) - 1, which is accurate near 0 as well: -m / (2 + m). From 20 on that is 1.
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* limit = real(x, 20);
  // Unordered is below the limit, where NaN passes through.
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOGT(magnitude, limit), limit, magnitude);
  const ReducedPower power = reduce(e, b.CreateFMul(bounded, real(x, -2)));
  llvm::Value* scale = two_to(e, to_whole(e, power.n), x->getType());
  llvm::Value* below = b.CreateFSub(scale, real(x, 1));
  llvm::Value* m = e.fma(scale, power.rest, below);
  llvm::Value* sum = b.CreateFAdd(m, real(x, 2));
  llvm::Value* quotient = b.CreateFDiv(m, sum);
  // What the three roundings took, times 1 / (2 + m) = (1 - quotient) / 2.
  llvm::Value* m_lost = e.fma(scale, power.rest, b.CreateFSub(below, m));
  llvm::Value* sum_lost = b.CreateFAdd(b.CreateFSub(m, b.CreateFSub(sum, real(x, 2))), m_lost);
  llvm::Value* negative = b.CreateFNeg(quotient);
  llvm::Value* missing = b.CreateFAdd(e.fma(negative, sum, m), e.fma(negative, sum_lost, m_lost));
  llvm::Value* inverse = e.fma(quotient, real(x, -0.5), real(x, 0.5));
  llvm::Value* value = e.fma(missing, inverse, quotient);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, x);
}

llvm::Value* emit_log_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  const auto [n, mantissa] = binary_parts_f64(e, x);
  llvm::Value* f = b.CreateFSub(mantissa, real(x, 1));
  // With s = f / (2 + f), log(1 + f) = 2s + s R = f - (f^2 / 2 - s (f^2 / 2 + R)).
  llvm::Value* s = b.CreateFDiv(f, b.CreateFAdd(f, real(x, 2)));
  llvm::Value* z = b.CreateFMul(s, s);
  llvm::Value* half_square = b.CreateFMul(b.CreateFMul(f, f), real(x, 0.5));
  llvm::Value* rest = e.fma(z, e.split_polynomial(z, kLog), half_square);
  llvm::Value* small = e.fma(n, real(x, kLn2Low), b.CreateFMul(s, rest));
  llvm::Value* fraction = b.CreateFSub(b.CreateFSub(half_square, small), f);
  llvm::Value* result = b.CreateFSub(b.CreateFMul(n, real(x, kLn2High)), fraction);

  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  llvm::Value* is_positive = b.CreateFCmpOGT(x, real(x, 0));
  llvm::Value* is_infinite = b.CreateFCmpOEQ(x, real(x, infinity));
  llvm::Value* at_zero =
      b.CreateSelect(b.CreateFCmpOEQ(x, real(x, 0)), real(x, -infinity), real(x, nan));
  result = b.CreateSelect(is_positive, result, at_zero);
  return b.CreateSelect(is_infinite, x, result);
}

}  // namespace wick::codegen::llvm_jit
