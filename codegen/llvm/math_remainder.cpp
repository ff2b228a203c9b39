// fmod, from the quotient: exact as long as that is an integer of f64 with a bit to spare.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

/// What a quotient of doubles, without its fraction, leaves of x. A quotient just below an integer
/// may have been rounded to it: then one y too much was taken.
llvm::Value* rest_of(EmitContext& e, llvm::Value* x, llvm::Value* y, llvm::Value* quotient) {
  auto& b = e.b;
  llvm::Value* size = e.unary(llvm::Intrinsic::fabs, x);
  llvm::Value* step = e.unary(llvm::Intrinsic::fabs, y);
  llvm::Value* rest = e.fma(b.CreateFNeg(quotient), step, size);
  rest = b.CreateSelect(b.CreateFCmpOLT(rest, real(x, 0)), b.CreateFAdd(rest, step), rest);
  llvm::Value* is_whole = b.CreateFCmpOLT(size, step);  // an infinite y as well
  rest = b.CreateSelect(is_whole, size, rest);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, x);
}

}  // namespace

llvm::Value* emit_fmod(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  // A product with a quotient of 29 bits and a float of 24 is exact, any that is not rounded too.
  constexpr double kQuotientOfFloats = 0x1p28;
  constexpr double kQuotient = 0x1p51;
  auto& b = e.b;
  const llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  const char* function = is_double ? "fmod" : "fmodf";
  if (is_double && !e.host.fma) return call_by_lane(e, function, {x, y});

  llvm::Type* f64 = shaped(b.getDoubleTy(), x);
  llvm::Value* wide_x = b.CreateFPExt(x, f64);
  llvm::Value* wide_y = b.CreateFPExt(y, f64);
  llvm::Value* quotient =
      e.unary(llvm::Intrinsic::floor, e.unary(llvm::Intrinsic::fabs, b.CreateFDiv(wide_x, wide_y)));
  llvm::Value* rest = b.CreateFPTrunc(rest_of(e, wide_x, wide_y, quotient), x->getType());
  llvm::Value* is_huge =
      b.CreateFCmpOGT(quotient, real(quotient, e.host.fma ? kQuotient : kQuotientOfFloats));
  return unless_any(e, is_huge, rest, [&] { return call_by_lane(e, function, {x, y}); });
}

}  // namespace wick::codegen::llvm_jit
