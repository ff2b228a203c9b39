// pow of f32. The logarithm and its product with y are sums of two floats: y log2|x| of up to 150
// needs 32 bits. Coefficients by Remez exchange, rounded one by one.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"
#include "wick/codegen/llvm/sum_of_two.h"

namespace wick::codegen::llvm_jit {

namespace {

// (2 artanh(s) / s - 2) / (s^2 ln 2) in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): relative
// error of the logarithm 2^-36.
constexpr double kArtanh[] = {0x1.ec709ep-1, 0x1.2776e0p-1, 0x1.a5d044p-2, 0x1.5890b6p-2};
// (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2: error of the power 2^-27.9.
constexpr double kExp2[] = {
    0x1.ebfbe0p-3, 0x1.c6af86p-5, 0x1.3b29d2p-7, 0x1.5f05b8p-10, 0x1.4477cep-13};
constexpr double kTwoLog2E[] = {0x1.715476p+1, 0x1.4ae0cp-25};  // 2 / ln 2
constexpr double kLn2 = 0x1.62e43p-1;

/// Of a positive finite float.
SumOfTwo log2_of(EmitContext& e, llvm::Value* x) {
  const BinaryParts parts = binary_parts_f32(e, x);
  const SumOfTwo s = artanh_argument(e, parts.mantissa);
  llvm::Value* two_log2_e = real(x, kTwoLog2E[0]);
  llvm::Value* square = e.b.CreateFMul(s.high, s.high);
  llvm::Value* rest = e.fma(square, e.polynomial(square, kArtanh), real(x, kTwoLog2E[1]));
  SumOfTwo log = exact_product(e, s.high, two_log2_e);
  log.low = e.fma(s.high, rest, log.low);
  // The slope of s (2 log2(e) + rest), whose rest grows with the square of s.
  log.low = e.fma(s.low, e.fma(rest, real(x, 3), two_log2_e), log.low);
  return normalized(e, add(e, parts.exponent, log));
}

/// value * 2^n for n between -200 and 200.
llvm::Value* scaled(EmitContext& e, llvm::Value* value, llvm::Value* n) {
  if (e.has_avx512_for(value)) return scale_by_instruction(e, value, n);
  auto& b = e.b;
  const auto two_to = [&](llvm::Value* exponent) {
    llvm::Value* bits = b.CreateShl(b.CreateAdd(exponent, integer(exponent, 127)), 23);
    return b.CreateBitCast(bits, value->getType());
  };
  // In two steps, so that neither power leaves the range and only the last product rounds.
  llvm::Value* whole = b.CreateFPToSI(n, shaped(b.getInt32Ty(), n));
  llvm::Value* half = b.CreateAShr(whole, 1);
  return b.CreateFMul(b.CreateFMul(value, two_to(half)), two_to(b.CreateSub(whole, half)));
}

/// To so little more than half an ulp that what is a float is exact.
llvm::Value* exp2_of(EmitContext& e, const SumOfTwo& x) {
  auto& b = e.b;
  llvm::Value* n = e.unary(llvm::Intrinsic::roundeven, x.high);
  llvm::Value* r = b.CreateFAdd(b.CreateFSub(x.high, n), x.low);
  llvm::Value* rest = b.CreateFMul(b.CreateFMul(r, r), e.polynomial(r, kExp2));
  return scaled(e, b.CreateFAdd(e.fma(r, real(r, kLn2), rest), real(r, 1)), n);
}

}  // namespace

llvm::Value* emit_pow_f32(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  if (!e.host.fma) return call_by_lane(e, "powf", {x, y});
  const SumOfTwo log = log2_of(e, e.unary(llvm::Intrinsic::fabs, x));
  // Beyond these the result is infinite or 0. NaN becomes a number, which is replaced below.
  const SumOfTwo exponent = clamped(e, multiply(e, log, y), 200);
  return with_special_powers(e, x, y, exp2_of(e, exponent));
}

}  // namespace wick::codegen::llvm_jit
