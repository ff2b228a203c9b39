// erf of f64. Near 0 coefficients interpolate at Chebyshev points, elsewhere they are a weighted
// least-squares fit, both in 60 digits, rounded to f64.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// erf(x) / x - 1 in x^2, for |x| <= 1: error 2^-55.8.
constexpr double kNear[] = {0x1.06eba8214db69p-3,
                            -0x1.812746b0379e6p-2,
                            0x1.ce2f21a042b30p-4,
                            -0x1.b82ce31284e00p-6,
                            0x1.565bcd0dbaa38p-8,
                            -0x1.c02db3dac435fp-11,
                            0x1.f9a321d5b8e1ep-14,
                            -0x1.f4d1e3183f7aep-17,
                            0x1.b9df224ca4b97p-20,
                            -0x1.5f1ecb6f0764cp-23,
                            0x1.f7b4bf3b13964p-27,
                            -0x1.389d4f2641625p-30,
                            0x1.05ffd737fb32ep-34};
// -log(1 - erf(x)) in x - 1 for 1 <= x <= 6, errors weighted by 1 - erf: 2^-58.8.
constexpr double kFar[] = {
    0x1.d97fbf27aa2a1p+0,   0x1.51c9b0006c23cp+1,   0x1.afabc11a2903bp-1,   0x1.5477f09c8f124p-5,
    -0x1.48c9d4068f9c8p-7,  0x1.033f68e63c0c8p-9,   -0x1.f1b4834a487e7p-13, -0x1.b8c49239cbebdp-16,
    0x1.c76993a9d7f60p-16,  -0x1.41946fe4c4b19p-17, 0x1.1019fce22cd21p-19,  -0x1.ddeaf3894af94p-24,
    -0x1.0365ad68b1ea3p-23, 0x1.16e0a29d25cdfp-24,  -0x1.5c076efcfee25p-26, 0x1.34aca9121f8e4p-28,
    -0x1.8c2baafb37ef2p-31, 0x1.601a6d49171bcp-34,  -0x1.8459597cc1549p-38, 0x1.8ff9349c6ec1bp-43};

}  // namespace

llvm::Value* emit_erf_f64(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  llvm::Value* near = e.fma(x, e.split_polynomial(b.CreateFMul(x, x), kNear), x);
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  // From 6 on erf is 1.
  llvm::Value* limit = real(x, 6);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOLT(magnitude, limit), magnitude, limit);
  llvm::Value* exponent = e.split_polynomial(b.CreateFSub(bounded, real(x, 1)), kFar);
  llvm::Value* far = b.CreateFSub(real(x, 1), emit_exp_f64(e, b.CreateFNeg(exponent)));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  // Unordered is near, where NaN passes through.
  return b.CreateSelect(b.CreateFCmpOGT(magnitude, real(x, 1)), far, near);
}

}  // namespace wick::codegen::llvm_jit
