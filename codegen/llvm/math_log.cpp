#include <limits>

#include <llvm/IR/Intrinsics.h>

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

}  // namespace

llvm::Value* emit_log(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Denormals are scaled into the normal range first.
  llvm::Value* is_tiny = b.CreateFCmpOLT(x, real(x, 0x1p-126));
  llvm::Value* scaled = b.CreateSelect(is_tiny, b.CreateFMul(x, real(x, 0x1p25)), x);
  llvm::Type* i32 = shaped(b.getInt32Ty(), x);
  llvm::Value* bits = b.CreateBitCast(scaled, i32);
  // x = 2^n m with m in [sqrt(1/2), sqrt(2)).
  llvm::Value* shifted = b.CreateSub(bits, integer(bits, 0x3F3504F3));
  llvm::Value* exponent = b.CreateAShr(shifted, 23);
  llvm::Value* mantissa = b.CreateSub(bits, b.CreateShl(exponent, 23));
  llvm::Value* f = b.CreateFSub(b.CreateBitCast(mantissa, x->getType()), real(x, 1));
  llvm::Value* n = b.CreateSIToFP(exponent, x->getType());
  n = b.CreateSelect(is_tiny, b.CreateFSub(n, real(x, 25)), n);

  llvm::Value* square = b.CreateFMul(f, f);
  llvm::Value* tail = b.CreateFMul(b.CreateFMul(square, f), e.polynomial(f, kLog));
  tail = e.fma(n, real(x, kLn2Low), tail);
  tail = e.fma(square, real(x, -0.5), tail);
  llvm::Value* result = e.fma(n, real(x, kLn2High), b.CreateFAdd(f, tail));

  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  llvm::Value* is_positive = b.CreateFCmpOGT(x, real(x, 0));
  llvm::Value* is_finite = b.CreateFCmpOLT(x, real(x, infinity));
  llvm::Value* at_zero =
      b.CreateSelect(b.CreateFCmpOEQ(x, real(x, 0)), real(x, -infinity), real(x, nan));
  result = b.CreateSelect(is_positive, result, at_zero);
  return b.CreateSelect(b.CreateAnd(is_positive, b.CreateNot(is_finite)), x, result);
}

}  // namespace wick::codegen::llvm_jit
