#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// erf(x) / x - 1 in x^2, for |x| <= 1: relative error of erf 2^-29.4.
constexpr double kNear[] = {0x1.06eba8p-3,
                            -0x1.81273ep-2,
                            0x1.ce2ce6p-4,
                            -0x1.b7f71ap-6,
                            0x1.53f224p-8,
                            -0x1.a3515ep-11,
                            0x1.4771fep-14};
// -log(1 - erf(x)) for 1 <= x <= 4, errors weighted by 1 - erf: 2^-29.6.
constexpr double kFar[] = {0x1.66311ap-12,
                           0x1.2088e6p+0,
                           0x1.46bafap-1,
                           0x1.a652e8p-4,
                           -0x1.65cad8p-6,
                           0x1.8259e4p-9,
                           -0x1.86dc84p-13};

}  // namespace

llvm::Value* emit_erf(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* near = e.fma(x, e.split_polynomial(b.CreateFMul(x, x), kNear), x);
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* limit = real(x, 4);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(magnitude, limit), magnitude, limit);
  llvm::Value* exponent = b.CreateFNeg(e.split_polynomial(bounded, kFar));
  llvm::Value* far = b.CreateFSub(real(x, 1), emit_short_exp(e, exponent));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  // Unordered is near, where NaN passes through.
  return b.CreateSelect(b.CreateFCmpOGT(magnitude, real(x, 1)), far, near);
}

}  // namespace wick::codegen::llvm_jit
