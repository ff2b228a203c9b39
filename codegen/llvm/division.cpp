#include "wick/codegen/llvm/division.h"

#include <limits>

#include <llvm/IR/Intrinsics.h>

namespace wick::codegen::llvm_jit {

namespace {

llvm::Value* is_below(EmitContext& e, llvm::Value* x, double limit) {
  return e.b.CreateFCmpOLT(e.unary(llvm::Intrinsic::fabs, x), real(x, limit));
}

constexpr double kSmall = 0x1p-125;
constexpr double kLarge = 0x1p125;

/// What scaling takes from x, or makes infinite of it, does not show in the quotient.
llvm::Value* scale_of_special(EmitContext& e, llvm::Value* divisor, llvm::Value* is_small) {
  return e.b.CreateSelect(is_small, real(divisor, 0x1p30), real(divisor, 0x1p-4));
}

Divisor make_vector_divisor(EmitContext& e, llvm::Value* divisor) {
  auto& b = e.b;
  llvm::Value* is_small = is_below(e, divisor, kSmall);
  llvm::Value* is_usual = b.CreateAnd(b.CreateNot(is_small), is_below(e, divisor, kLarge));
  llvm::Value* scale =
      b.CreateSelect(is_usual, real(divisor, 1), scale_of_special(e, divisor, is_small));
  llvm::Value* value = b.CreateFMul(divisor, scale);
  return {scale, value, b.CreateFDiv(real(divisor, 1), value)};
}

/// Divisors that need a scale have a path of their own, so that the others do not wait for it.
Divisor make_scalar_divisor(EmitContext& e, llvm::Value* divisor) {
  auto& b = e.b;
  const auto number = [&](double value) { return real(divisor, value); };
  auto* before = b.GetInsertBlock();
  auto* scaled = llvm::BasicBlock::Create(b.getContext(), "scaled", before->getParent());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "inverted", before->getParent());
  llvm::Value* inverse = b.CreateFDiv(number(1), divisor);
  llvm::Value* is_small = is_below(e, divisor, kSmall);
  b.CreateCondBr(b.CreateAnd(b.CreateNot(is_small), is_below(e, divisor, kLarge)), after, scaled);

  b.SetInsertPoint(scaled);
  llvm::Value* scale = scale_of_special(e, divisor, is_small);
  llvm::Value* value = b.CreateFMul(divisor, scale);
  llvm::Value* inverse_of_scaled = b.CreateFDiv(number(1), value);
  b.CreateBr(after);

  b.SetInsertPoint(after);
  const auto choose = [&](llvm::Value* usual, llvm::Value* special) {
    llvm::PHINode* chosen = b.CreatePHI(usual->getType(), 2);
    chosen->addIncoming(usual, before);
    chosen->addIncoming(special, scaled);
    return chosen;
  };
  llvm::Value* const chosen[] = {
      choose(number(1), scale), choose(divisor, value), choose(inverse, inverse_of_scaled)};
  return {e.splat(chosen[0]), e.splat(chosen[1]), e.splat(chosen[2])};
}

}  // namespace

Divisor make_divisor(EmitContext& e, llvm::Value* divisor) {
  return is_vector(divisor) ? make_vector_divisor(e, divisor) : make_scalar_divisor(e, divisor);
}

/// The product with the inverse is two units off at most; the remainder, which is exact but for the
/// smallest x, tells how much. Infinite and NaN quotients have none, and zeros would lose their
/// sign.
llvm::Value* divide(EmitContext& e, llvm::Value* x, const Divisor& divisor) {
  auto& b = e.b;
  llvm::Value* dividend = b.CreateFMul(x, divisor.scale);
  llvm::Value* near = b.CreateFMul(dividend, divisor.inverse);
  llvm::Value* remainder = e.fma(b.CreateFNeg(near), divisor.value, dividend);
  llvm::Value* quotient = e.fma(remainder, divisor.inverse, near);
  llvm::Value* is_finite = is_below(e, near, std::numeric_limits<double>::infinity());
  llvm::Value* is_corrected = b.CreateAnd(is_finite, b.CreateFCmpUNE(near, real(near, 0)));
  return b.CreateSelect(is_corrected, quotient, near);
}

}  // namespace wick::codegen::llvm_jit
