// pow of f32. The logarithm and its product with y are sums of two floats: y log2|x| of up to 150
// needs 32 bits. Coefficients by Remez exchange, rounded one by one.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"
#include "wick/codegen/llvm/math_pow.h"

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

}  // namespace

SumOfTwo log2_f32(EmitContext& e, llvm::Value* x) {
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

llvm::Value* exp2_f32(EmitContext& e, const SumOfTwo& x) {
  auto& b = e.b;
  llvm::Value* n = e.unary(llvm::Intrinsic::roundeven, x.high);
  llvm::Value* r = b.CreateFAdd(b.CreateFSub(x.high, n), x.low);
  llvm::Value* rest = b.CreateFMul(b.CreateFMul(r, r), e.polynomial(r, kExp2));
  return scale_by_power(e, b.CreateFAdd(e.fma(r, real(r, kLn2), rest), real(r, 1)), n);
}

}  // namespace wick::codegen::llvm_jit
