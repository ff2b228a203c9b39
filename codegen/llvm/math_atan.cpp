#include <numbers>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

// (atan(x) / x - 1) / x^2 in x^2, for |x| <= 1: relative error of atan 2^-28.5.
constexpr double kAtan[] = {-0x1.55553ep-2,
                            0x1.9991fep-3,
                            -0x1.2421c4p-3,
                            0x1.c09ab4p-4,
                            -0x1.5836dap-4,
                            0x1.dad25ep-5,
                            -0x1.fee38ap-6,
                            0x1.65bb32p-7,
                            -0x1.d6578ap-10};
constexpr double kHalfPiHigh = 0x1.921fb6p+0;  // as f32
constexpr double kHalfPiLow = std::numbers::pi / 2 - kHalfPiHigh;

}  // namespace

llvm::Value* emit_atan(EmitContext& e, llvm::Value* x) {
  auto& b = e.b;
  // Beyond 1, atan(x) = pi/2 - atan(1/x). Unordered is near, where NaN passes through.
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* is_far = b.CreateFCmpOGT(magnitude, real(x, 1));
  llvm::Value* r = b.CreateSelect(is_far, b.CreateFDiv(real(x, 1), magnitude), magnitude);
  llvm::Value* square = b.CreateFMul(r, r);
  llvm::Value* tail = b.CreateFMul(b.CreateFMul(square, r), e.polynomial(square, kAtan));
  llvm::Value* near = b.CreateFAdd(r, tail);
  // The small parts are added first.
  llvm::Value* rest = b.CreateFSub(real(x, kHalfPiLow), tail);
  llvm::Value* far = b.CreateFAdd(b.CreateFSub(real(x, kHalfPiHigh), r), rest);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b.CreateSelect(is_far, far, near), x);
}

}  // namespace wick::codegen::llvm_jit
