// pow of f64. The logarithm, its product with y and what that leaves below a power of two are sums
// of two doubles: y log2|x| of up to 1074 needs 64 bits. Coefficients interpolate at Chebyshev
// points in 60 digits.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"
#include "wick/codegen/llvm/math_pow.h"

namespace wick::codegen::llvm_jit {

namespace {

// (artanh(s) / s - 1 - s^2 / 3) / s^4 in s^2, for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1): relative
// error of the logarithm 2^-70.
constexpr double kArtanh[] = {0x1.999999999999ap-3,
                              0x1.2492492492521p-3,
                              0x1.c71c71c6eaa10p-4,
                              0x1.745d177a96056p-4,
                              0x1.3b1395d2190c1p-4,
                              0x1.1118c7e4b0917p-4,
                              0x1.df7cc8e5fa539p-5,
                              0x1.e02e6fff27908p-5};
// (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2: error of the power 2^-62.
constexpr double kExp2[] = {0x1.ebfbdff82c58fp-3,
                            0x1.c6b08d704a0c2p-5,
                            0x1.3b2ab6fba4e78p-7,
                            0x1.5d87fe78a526dp-10,
                            0x1.430912f86bf4ep-13,
                            0x1.ffcbfc6712438p-17,
                            0x1.62c022401d5c2p-20,
                            0x1.b524fad88ed30p-24,
                            0x1.e4cf1cc5c8b02p-28,
                            0x1.e9d419696e0e9p-32,
                            0x1.c48f8c2305624p-36};

constexpr double kThird[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
constexpr double kLn2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr double kTwoLog2E[] = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};  // 2 / ln 2

SumOfTwo constant(llvm::Value* like, const double (&parts)[2]) {
  return {real(like, parts[0]), real(like, parts[1])};
}

}  // namespace

SumOfTwo log2_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  const BinaryParts parts = binary_parts_f64(e, x);
  const SumOfTwo s = artanh_argument(e, parts.mantissa);
  const SumOfTwo square = multiply(e, s, s);
  llvm::Value* fourth = b.CreateFMul(square.high, square.high);
  SumOfTwo series = multiply(e, square, constant(x, kThird));
  series.low = e.fma(fourth, e.split_polynomial(square.high, kArtanh), series.low);
  const SumOfTwo ratio = add(e, real(x, 1), series);  // artanh(s) / s
  const SumOfTwo log = multiply(e, multiply(e, s, ratio), constant(x, kTwoLog2E));
  return normalized(e, add(e, parts.exponent, log));
}

llvm::Value* exp2_f64(EmitContext& e, const SumOfTwo& x) {
  auto& b = e.b;
  llvm::Value* n = e.unary(llvm::Intrinsic::roundeven, x.high);
  const SumOfTwo r = normalized(e, {b.CreateFSub(x.high, n), x.low});
  SumOfTwo power = add(e, real(n, 1), multiply(e, r, constant(n, kLn2)));
  power.low = e.fma(b.CreateFMul(r.high, r.high), e.split_polynomial(r.high, kExp2), power.low);
  return scale_by_power(e, b.CreateFAdd(power.high, power.low), n);
}

}  // namespace wick::codegen::llvm_jit
