#include "wick/codegen/llvm/division.h"

#include <limits>

#include <llvm/IR/Intrinsics.h>

namespace wick::codegen::llvm_jit {

namespace {

llvm::Value* is_below(EmitContext& e, llvm::Value* x, double limit) {
  return e.b.CreateFCmpOLT(e.unary(llvm::Intrinsic::fabs, x), real(x, limit));
}

/// Between `small` and `large` both parts of the inverse have all their digits.
struct Range {
  double small;
  double large;
  double raise;       // what smaller divisors are multiplied by
  double lower;       // what larger ones are
  double negligible;  // less than half a digit of the inverse
};

constexpr Range kOfF32 = {0x1p-125, 0x1p70, 0x1p30, 0x1p-60, 0x1p-40};
constexpr Range kOfF64 = {0x1p-1021, 0x1p900, 0x1p60, 0x1p-890, 0x1p-90};

const Range& range_of(llvm::Value* x) {
  return x->getType()->getScalarType()->isDoubleTy() ? kOfF64 : kOfF32;
}

llvm::Value* is_small_divisor(EmitContext& e, llvm::Value* divisor) {
  return is_below(e, divisor, range_of(divisor).small);
}

/// Whether a divisor needs no scale.
llvm::Value* is_usual_divisor(EmitContext& e, llvm::Value* divisor, llvm::Value* is_small) {
  return e.b.CreateAnd(e.b.CreateNot(is_small), is_below(e, divisor, range_of(divisor).large));
}

/// What scaling takes from x, or makes infinite of it, does not show in the quotient.
llvm::Value* scale_of_special(EmitContext& e, llvm::Value* divisor, llvm::Value* is_small) {
  const Range& range = range_of(divisor);
  return e.b.CreateSelect(is_small, real(divisor, range.raise), real(divisor, range.lower));
}

/// The same number but for its last digit, towards 0. Of normal numbers.
llvm::Value* previous(EmitContext& e, llvm::Value* x) {
  llvm::Type* integers = e.b.getIntNTy(x->getType()->getScalarSizeInBits());
  llvm::Value* bits = e.b.CreateBitCast(x, shaped(integers, x));
  return e.b.CreateBitCast(e.b.CreateSub(bits, integer(bits, 1)), x->getType());
}

Divisor invert(EmitContext& e, llvm::Value* scale, llvm::Value* value) {
  auto& b = e.b;
  llvm::Value* one = real(value, 1);
  const auto remainder_of = [&](llvm::Value* inverse) {
    return e.fma(b.CreateFNeg(inverse), value, one);
  };
  // Rounded towards 0, so that the rest has the same sign and infinite dividends stay infinite.
  llvm::Value* inverse = b.CreateFDiv(one, value);
  llvm::Value* is_above = b.CreateFCmpOLT(remainder_of(inverse), real(value, 0));
  inverse = b.CreateSelect(is_above, previous(e, inverse), inverse);
  llvm::Value* rest = b.CreateFMul(remainder_of(inverse), inverse);
  // A rest of 0 would make NaN of infinity, and that of an infinite inverse is NaN itself.
  llvm::Value* is_proper = b.CreateAnd(b.CreateFCmpONE(rest, real(value, 0)),
                                       is_below(e, rest, std::numeric_limits<double>::infinity()));
  llvm::Value* negligible = b.CreateFMul(inverse, real(value, range_of(value).negligible));
  return {scale, inverse, b.CreateSelect(is_proper, rest, negligible)};
}

Divisor make_vector_divisor(EmitContext& e, llvm::Value* divisor) {
  auto& b = e.b;
  llvm::Value* is_small = is_small_divisor(e, divisor);
  llvm::Value* is_usual = is_usual_divisor(e, divisor, is_small);
  llvm::Value* scale =
      b.CreateSelect(is_usual, real(divisor, 1), scale_of_special(e, divisor, is_small));
  return invert(e, scale, b.CreateFMul(divisor, scale));
}

/// Divisors that need a scale have a path of their own, so that the others do not wait for it.
Divisor make_scalar_divisor(EmitContext& e, llvm::Value* divisor) {
  auto& b = e.b;
  llvm::Value* one = real(divisor, 1);
  auto* before = b.GetInsertBlock();
  auto* scaled = llvm::BasicBlock::Create(b.getContext(), "scaled", before->getParent());
  auto* after = llvm::BasicBlock::Create(b.getContext(), "inverted", before->getParent());
  const Divisor usual = invert(e, one, divisor);
  llvm::Value* is_small = is_small_divisor(e, divisor);
  b.CreateCondBr(is_usual_divisor(e, divisor, is_small), after, scaled);

  b.SetInsertPoint(scaled);
  llvm::Value* scale = scale_of_special(e, divisor, is_small);
  const Divisor special = invert(e, scale, b.CreateFMul(divisor, scale));
  b.CreateBr(after);

  b.SetInsertPoint(after);
  const auto choose = [&](llvm::Value* Divisor::* part) {
    llvm::PHINode* chosen = b.CreatePHI(divisor->getType(), 2);
    chosen->addIncoming(usual.*part, before);
    chosen->addIncoming(special.*part, scaled);
    return chosen;
  };
  llvm::Value* const chosen[] = {
      choose(&Divisor::scale), choose(&Divisor::inverse), choose(&Divisor::rest)};
  return {e.splat(chosen[0]), e.splat(chosen[1]), e.splat(chosen[2])};
}

}  // namespace

Divisor make_divisor(EmitContext& e, llvm::Value* divisor, bool is_usual) {
  if (is_usual) {
    const Divisor made = invert(e, nullptr, divisor);
    return {nullptr, e.splat(made.inverse), e.splat(made.rest)};
  }
  return is_vector(divisor) ? make_vector_divisor(e, divisor) : make_scalar_divisor(e, divisor);
}

llvm::Value* divide(EmitContext& e, llvm::Value* x, const Divisor& divisor) {
  llvm::Value* dividend = divisor.scale == nullptr ? x : e.b.CreateFMul(x, divisor.scale);
  return e.fma(dividend, divisor.inverse, e.b.CreateFMul(dividend, divisor.rest));
}

}  // namespace wick::codegen::llvm_jit
