#include <cmath>
#include <limits>
#include <numbers>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (log(1 + f) - f + f^2 / 2) / f^3 for f in [sqrt(1/2) - 1, sqrt(2) - 1]: relative error of the
// logarithm 2^-28.6. Minimax, fitted as those of math_exp.cpp.
constexpr double kLog[] = {0x1.555548p-2,
                           -0x1.000068p-2,
                           0x1.99a52ep-3,
                           -0x1.553288p-3,
                           0x1.23085ap-3,
                           -0x1.00ca36p-3,
                           0x1.ef3f5ap-4,
                           -0x1.c1bb18p-4,
                           0x1.befd2p-5};
constexpr double kLn2High = 0x1.62e4p-1;
constexpr double kLn2Low = 0x1.7f7d1cp-20;

/// Denormals, NaN and infinities included: 0 has exponent -inf, infinity inf, and below 0 the
/// mantissa is NaN.
BinaryParts split_by_instruction(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  constexpr int kCurrentRounding = 4;
  constexpr int kBetween1And2 = 0;
  constexpr int kNanBelowZero = 2 << 2;
  const auto exponent_of = [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getexp_ps_512,
                             {},
                             {part[0], zero, b.getInt16(0xFFFF), b.getInt32(kCurrentRounding)});
  };
  const auto mantissa_of = [&](llvm::ArrayRef<llvm::Value*> part) -> llvm::Value* {
    llvm::Value* zero = llvm::Constant::getNullValue(part[0]->getType());
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_getmant_ps_512,
                             {},
                             {part[0],
                              b.getInt32(kBetween1And2 | kNanBelowZero),
                              zero,
                              b.getInt16(0xFFFF),
                              b.getInt32(kCurrentRounding)});
  };
  llvm::Value* n = e.by_register({x}, exponent_of);
  llvm::Value* m = e.by_register({x}, mantissa_of);
  llvm::Value* is_upper = b.CreateFCmpOGT(m, real(x, std::numbers::sqrt2));
  return {b.CreateSelect(is_upper, b.CreateFAdd(n, real(x, 1)), n),
          b.CreateSelect(is_upper, b.CreateFMul(m, real(x, 0.5)), m)};
}

/// For positive finite x.
BinaryParts split_by_bits(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Denormals are scaled into the normal range first.
  llvm::Value* is_tiny = b.CreateFCmpOLT(x, real(x, 0x1p-126));
  llvm::Value* scaled = b.CreateSelect(is_tiny, b.CreateFMul(x, real(x, 0x1p25)), x);
  llvm::Value* bits = b.CreateBitCast(scaled, shaped(b.getInt32Ty(), x));
  llvm::Value* shifted = b.CreateSub(bits, integer(bits, 0x3F3504F3));
  llvm::Value* exponent = b.CreateAShr(shifted, 23);
  llvm::Value* mantissa = b.CreateSub(bits, b.CreateShl(exponent, 23));
  llvm::Value* n = b.CreateSIToFP(exponent, x->getType());
  n = b.CreateSelect(is_tiny, b.CreateFSub(n, real(x, 25)), n);
  return {n, b.CreateBitCast(mantissa, x->getType())};
}

/// log(x), or a positive multiple of it, as computed for positive finite x, corrected for all
/// other.
llvm::Value* with_special_values(EmitContext& e, llvm::Value* x, llvm::Value* result) {
  auto& b = e.b;
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  llvm::Value* is_positive = b.CreateFCmpOGT(x, real(x, 0));
  llvm::Value* is_finite = b.CreateFCmpOLT(x, real(x, infinity));
  llvm::Value* at_zero =
      b.CreateSelect(b.CreateFCmpOEQ(x, real(x, 0)), real(x, -infinity), real(x, nan));
  result = b.CreateSelect(is_positive, result, at_zero);
  return b.CreateSelect(b.CreateAnd(is_positive, b.CreateNot(is_finite)), x, result);
}

/// x = 2^n (1 + f), and log(1 + f) = f - square / 2 + cubes.
struct LogParts {
  llvm::Value* n;
  llvm::Value* f;
  llvm::Value* square;
  llvm::Value* cubes;
};

LogParts log_parts(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  const auto [n, mantissa] = binary_parts_f32(e, x);
  llvm::Value* f = b.CreateFSub(mantissa, real(x, 1));
  llvm::Value* square = b.CreateFMul(f, f);
  return {n, f, square, b.CreateFMul(b.CreateFMul(square, f), e.split_polynomial(f, kLog))};
}

llvm::Value* correct_specials(EmitContext& e, llvm::Value* x, llvm::Value* result) {
  return e.has_avx512_for(x) ? result : with_special_values(e, x, result);
}

/// The leading 16 bits, whose products with exponents are exact, and of the rest what a float
/// holds.
struct Halves {
  double high;
  double low;
};

Halves halves(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const double high = std::ldexp(std::trunc(std::ldexp(mantissa, 16)), exponent - 16);
  return {high, static_cast<float>(value - high)};
}

}  // namespace

BinaryParts binary_parts_f32(EmitContext& e, llvm::Value* x) {
  return e.has_avx512_for(x) ? split_by_instruction(e, x) : split_by_bits(e, x);
}

llvm::Value* emit_log(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  const auto [n, f, square, cubes] = log_parts(e, x);
  llvm::Value* tail = e.fma(n, real(x, kLn2Low), cubes);
  tail = e.fma(square, real(x, -0.5), tail);
  return correct_specials(e, x, e.fma(n, real(x, kLn2High), b.CreateFAdd(f, tail)));
}

llvm::Value* emit_scaled_log(EmitContext& e, llvm::Value* x, double scale) {
  auto& b = e.b;
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  const auto [n, f, square, cubes] = log_parts(e, x);
  llvm::Value* tail = e.fma(square, real(x, -0.5), cubes);
  // log(1 + f) as a sum of two, so that its product with the scale rounds once.
  llvm::Value* high = b.CreateFAdd(f, tail);
  llvm::Value* low = b.CreateFSub(tail, b.CreateFSub(high, f));
  const double nearest = static_cast<float>(scale);
  llvm::Value* rest = e.fma(high, real(x, scale - nearest), b.CreateFMul(low, real(x, nearest)));
  const Halves of_exponent = halves(scale * std::numbers::ln2);
  // With a term of 0 an infinite exponent would be NaN.
  if (of_exponent.low != 0) rest = e.fma(n, real(x, of_exponent.low), rest);
  llvm::Value* fraction = e.fma(high, real(x, nearest), rest);
  return correct_specials(e, x, e.fma(n, real(x, of_exponent.high), fraction));
}

}  // namespace wick::codegen::llvm_jit
