#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/compute.h"

namespace wick::codegen::llvm_jit {

namespace {

/// Double to float so that rounding once more to f16 or bf16 gives what one rounding would: round
/// to odd.
llvm::Value* truncate_to_odd(EmitContext& e, llvm::Value* value) {
  auto& b = e.b;
  llvm::Value* nearest = b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));
  llvm::Value* back = b.CreateFPExt(nearest, value->getType());
  llvm::Value* bits = b.CreateBitCast(nearest, shaped(b.getInt32Ty(), value));
  llvm::Value* is_inexact = b.CreateFCmpONE(back, value);
  llvm::Value* is_even = b.CreateICmpEQ(b.CreateAnd(bits, integer(bits, 1)), integer(bits, 0));
  llvm::Value* infinity = real(value, std::numeric_limits<double>::infinity());
  llvm::Value* magnitude = e.unary(llvm::Intrinsic::fabs, value);
  llvm::Value* is_finite = b.CreateFCmpONE(magnitude, infinity);
  llvm::Value* away = b.CreateFCmpOGT(e.unary(llvm::Intrinsic::fabs, back), magnitude);
  llvm::Value* step = b.CreateSelect(away, integer(bits, -1), integer(bits, 1));
  llvm::Value* moves = b.CreateAnd(b.CreateAnd(is_inexact, is_even), is_finite);
  llvm::Value* odd = b.CreateBitCast(b.CreateAdd(bits, step), nearest->getType());
  return b.CreateSelect(moves, odd, nearest);
}

llvm::Value* float_to_float(EmitContext& e, DType from, DType to, llvm::Value* value) {
  auto& b = e.b;
  if (from == DType::f64) {
    if (to == DType::f64) return value;
    if (to == DType::f32) return b.CreateFPTrunc(value, shaped(b.getFloatTy(), value));
    return e.round_to(to, truncate_to_odd(e, value));
  }
  if (to == DType::f64) return b.CreateFPExt(value, shaped(b.getDoubleTy(), value));
  return from == to ? value : e.round_to(to, value);
}

llvm::Value* integer_to_float(EmitContext& e, DType from, DType to, llvm::Value* value) {
  auto& b = e.b;
  const bool is_unsigned = from == DType::u8 || from == DType::bool_;
  llvm::Type* type = shaped(e.register_type(to), value);
  if (from != DType::i64) {
    // By way of i32, for which there is a vector instruction.
    llvm::Type* i32 = shaped(b.getInt32Ty(), value);
    value = is_unsigned ? b.CreateZExt(value, i32) : b.CreateSExt(value, i32);
  }
  const bool is_wide = from == DType::i64 || from == DType::i32;
  if (is_wide && is_half(to)) {
    llvm::Value* exact = b.CreateSIToFP(value, shaped(b.getDoubleTy(), value));
    return e.round_to(to, truncate_to_odd(e, exact));
  }
  return e.round_to(to, b.CreateSIToFP(value, type));
}

}  // namespace

llvm::Value* emit_cast(EmitContext& e, DType from, DType to, llvm::Value* value) {
  auto& b = e.b;
  if (from == to) return value;
  if (to == DType::bool_) {
    return is_float(from) ? b.CreateFCmpUNE(value, real(value, 0))
                          : b.CreateICmpNE(value, integer(value, 0));
  }
  if (is_float(from) && is_float(to)) return float_to_float(e, from, to, value);
  if (is_float(to)) return integer_to_float(e, from, to, value);
  llvm::Type* type = shaped(e.register_type(to), value);
  if (is_float(from)) {
    const auto intrinsic =
        to == DType::u8 ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    return b.CreateIntrinsic(intrinsic, {type, value->getType()}, {value});
  }
  const bool is_unsigned = from == DType::u8 || from == DType::bool_;
  return b.CreateIntCast(value, type, !is_unsigned);
}

llvm::Value* emit_bitcast(EmitContext& e, DType from, DType to, llvm::Value* value) {
  llvm::Value* bits = e.to_storage(from, value);
  return e.to_register(to, e.b.CreateBitCast(bits, shaped(e.storage_type(to), value)));
}

}  // namespace wick::codegen::llvm_jit
