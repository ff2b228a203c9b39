#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/compute.h"
#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

/// The double quotient of x below 2^52, truncated, is exact for the same reason as below, and that
/// of half a step more with the rounded reciprocal up to 2^51. Vectors with a larger x are taken
/// apart.
llvm::Value* truncated_quotient_of_i64(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  constexpr int64_t kLimit = int64_t{1} << 50;
  auto& b = e.b;
  if (!e.host.avx512 || !is_vector(x)) return b.CreateSDiv(x, y);
  llvm::Type* wide = shaped(b.getDoubleTy(), x);
  llvm::Value* dividend = b.CreateSIToFP(x, wide);
  llvm::Value* quotient = nullptr;
  if (llvm::Value* divisor = llvm::getSplatValue(y)) {
    llvm::Value* reciprocal = b.CreateFDiv(llvm::ConstantFP::get(b.getDoubleTy(), 1.0),
                                           b.CreateSIToFP(divisor, b.getDoubleTy()));
    llvm::Value* half = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::copysign, llvm::ConstantFP::get(wide, 0.5), dividend);
    quotient = b.CreateFMul(b.CreateFAdd(dividend, half), e.splat(reciprocal));
  } else {
    quotient = b.CreateFDiv(dividend, b.CreateSIToFP(y, wide));
  }
  llvm::Value* fast = b.CreateFreeze(b.CreateFPToSI(quotient, x->getType()));

  llvm::Value* is_large =
      b.CreateICmpUGE(b.CreateAdd(x, integer(x, kLimit)), integer(x, 2 * kLimit));
  return unless_any(e, is_large, fast, [&] { return b.CreateSDiv(x, y); });
}

/// Quotient toward zero; y is neither 0 nor -1. There is no vector instruction for it: up to 32
/// bits a double quotient, truncated, is exact, since it lies 2^-32 from an integer at least. That
/// of half a step more is so even as a product with the rounded reciprocal: it lies a half of 1/y
/// from an integer at least, and its error is 2^20 times smaller.
llvm::Value* truncated_quotient(EmitContext& e, DType dtype, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  if (dtype == DType::i64) return truncated_quotient_of_i64(e, x, y);
  const bool is_narrow = dtype != DType::i32;  // then float is wide enough
  llvm::Type* wide = shaped(is_narrow ? b.getFloatTy() : b.getDoubleTy(), x);
  llvm::Type* middle = shaped(b.getInt32Ty(), x);
  const auto to_wide = [&](llvm::Value* v) {
    v = dtype == DType::u8 ? b.CreateZExt(v, middle) : b.CreateSExt(v, middle);
    return b.CreateSIToFP(v, wide);
  };
  const auto truncated = [&](llvm::Value* quotient) {
    return b.CreateTrunc(b.CreateFPToSI(quotient, middle), x->getType());
  };
  llvm::Value* divisor = llvm::getSplatValue(y);
  if (is_narrow || divisor == nullptr) return truncated(b.CreateFDiv(to_wide(x), to_wide(y)));
  llvm::Value* reciprocal = b.CreateFDiv(llvm::ConstantFP::get(b.getDoubleTy(), 1.0),
                                         b.CreateSIToFP(divisor, b.getDoubleTy()));
  llvm::Value* dividend = to_wide(x);
  llvm::Value* half = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::copysign, llvm::ConstantFP::get(wide, 0.5), dividend);
  return truncated(b.CreateFMul(b.CreateFAdd(dividend, half), e.splat(reciprocal)));
}

}  // namespace

llvm::Value* emit_integer_division(
    EmitContext& e, ir::OpKind op, DType dtype, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  llvm::Value* zero = integer(x, 0);
  // What is asked of one divisor for all is asked once.
  llvm::Value* one_divisor = llvm::getSplatValue(y);
  llvm::Value* divisors = one_divisor == nullptr ? y : one_divisor;
  const auto spread = [&](llvm::Value* v) { return one_divisor == nullptr ? v : e.splat(v); };
  llvm::Value* by_zero = b.CreateICmpEQ(divisors, integer(divisors, 0));
  if (dtype == DType::u8) {
    llvm::Value* divisor = spread(b.CreateSelect(by_zero, integer(divisors, 1), divisors));
    llvm::Value* quotient = truncated_quotient(e, dtype, x, divisor);
    if (op == ir::OpKind::div) return b.CreateSelect(by_zero, zero, quotient);
    return b.CreateSelect(by_zero, zero, b.CreateSub(x, b.CreateMul(quotient, divisor)));
  }
  // The most negative number over -1 traps: -1 is handled by negation, which wraps.
  llvm::Value* by_minus_one = b.CreateICmpEQ(divisors, integer(divisors, -1));
  llvm::Value* is_special = b.CreateOr(by_zero, by_minus_one);
  llvm::Value* divisor = spread(b.CreateSelect(is_special, integer(divisors, 1), divisors));
  llvm::Value* quotient = truncated_quotient(e, dtype, x, divisor);
  llvm::Value* remainder = b.CreateSub(x, b.CreateMul(quotient, divisor));
  llvm::Value* differs = b.CreateICmpSLT(b.CreateXor(remainder, divisor), zero);
  llvm::Value* adjust = b.CreateAnd(b.CreateICmpNE(remainder, zero), differs);
  if (op == ir::OpKind::div) {
    quotient = b.CreateSelect(adjust, b.CreateSub(quotient, integer(x, 1)), quotient);
    quotient = b.CreateSelect(by_minus_one, b.CreateNeg(x), quotient);
    return b.CreateSelect(by_zero, zero, quotient);
  }
  remainder = b.CreateSelect(adjust, b.CreateAdd(remainder, divisor), remainder);
  return b.CreateSelect(is_special, zero, remainder);
}

llvm::Value* emit_shift(
    EmitContext& e, ir::OpKind op, DType dtype, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  const auto width = static_cast<int64_t>(size_of(dtype) * 8);
  // As an unsigned number a negative amount is too large as well.
  llvm::Value* in_range = dtype == DType::u8 || dtype == DType::i8
                              ? b.CreateICmpULT(y, integer(y, 8))
                              : b.CreateICmpULT(y, integer(y, width));
  llvm::Value* zero = integer(x, 0);
  if (op == ir::OpKind::shift_left) {
    return b.CreateSelect(in_range, b.CreateShl(x, b.CreateSelect(in_range, y, zero)), zero);
  }
  if (dtype == DType::u8) {
    return b.CreateSelect(in_range, b.CreateLShr(x, b.CreateSelect(in_range, y, zero)), zero);
  }
  return b.CreateAShr(x, b.CreateSelect(in_range, y, integer(y, width - 1)));
}

}  // namespace wick::codegen::llvm_jit
