#include <cmath>
#include <limits>

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

/// Bits of the largest number, which is that many ones.
int magnitude_bits(DType dtype) {
  return dtype == DType::u8 ? 8 : 8 * static_cast<int>(size_of(dtype)) - 1;
}

/// Towards zero; beyond the range its nearest number, and 0 of NaN. LLVM's own saturating
/// conversion takes vectors apart.
llvm::Value* float_to_integer(EmitContext& e, DType to, llvm::Value* value) {
  auto& b = e.b;
  const int digits = value->getType()->getScalarType()->isDoubleTy()
                         ? std::numeric_limits<double>::digits
                         : std::numeric_limits<float>::digits;
  const int bits = magnitude_bits(to);
  const double beyond = std::ldexp(1.0, bits);
  // Where the largest integer is none of these floats, the largest float below it.
  const bool has_largest = bits <= digits;
  llvm::Value* high = real(value, beyond - (has_largest ? 1.0 : std::ldexp(1.0, bits - digits)));
  llvm::Value* low = real(value, to == DType::u8 ? 0 : -beyond);
  llvm::Value* bounded = b.CreateSelect(b.CreateFCmpOGT(value, low), value, low);
  bounded = b.CreateSelect(b.CreateFCmpOLT(bounded, high), bounded, high);
  llvm::Type* type = shaped(to == DType::i64 ? b.getInt64Ty() : b.getInt32Ty(), value);
  llvm::Value* whole = b.CreateFPToSI(bounded, type);
  if (!has_largest) {
    const int64_t largest = std::numeric_limits<int64_t>::max() >> (63 - bits);
    llvm::Value* is_beyond = b.CreateFCmpOGE(value, real(value, beyond));
    whole = b.CreateSelect(is_beyond, integer(whole, largest), whole);
  }
  whole = b.CreateSelect(b.CreateFCmpORD(value, value), whole, integer(whole, 0));
  return b.CreateTrunc(whole, shaped(e.register_type(to), value));
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
  if (is_float(from)) return float_to_integer(e, to, value);
  llvm::Type* type = shaped(e.register_type(to), value);
  const bool is_unsigned = from == DType::u8 || from == DType::bool_;
  return b.CreateIntCast(value, type, !is_unsigned);
}

llvm::Value* emit_bitcast(EmitContext& e, DType from, DType to, llvm::Value* value) {
  llvm::Value* bits = e.to_storage(from, value);
  return e.to_register(to, e.b.CreateBitCast(bits, shaped(e.storage_type(to), value)));
}

}  // namespace wick::codegen::llvm_jit
