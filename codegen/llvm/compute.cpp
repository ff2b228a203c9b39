#include "wick/codegen/llvm/compute.h"

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"
#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;
using Operands = llvm::ArrayRef<llvm::Value*>;

llvm::Value* emit_abs(EmitContext& e, DType dtype, llvm::Value* x) {
  if (is_float(dtype)) return e.unary(llvm::Intrinsic::fabs, x);
  if (dtype == DType::u8 || dtype == DType::bool_) return x;
  return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, e.b.getFalse());
}

/// Python's %: C's remainder moved to the side of y.
llvm::Value* emit_float_remainder(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  llvm::Value* remainder = emit_fmod(e, x, y);
  llvm::Value* zero = real(x, 0);
  llvm::Value* differs = b.CreateXor(b.CreateFCmpOLT(remainder, zero), b.CreateFCmpOLT(y, zero));
  llvm::Value* result = b.CreateSelect(differs, b.CreateFAdd(remainder, y), remainder);
  llvm::Value* signed_zero = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, y);
  return b.CreateSelect(b.CreateFCmpOEQ(remainder, zero), signed_zero, result);
}

/// Of bits, by logic: LLVM 19 rewrites comparisons of vectors of them without end for AVX2.
llvm::Value* emit_compare_bits(EmitContext& e, OpKind op, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  switch (op) {
    case OpKind::eq:
      return b.CreateNot(b.CreateXor(x, y));
    case OpKind::ne:
      return b.CreateXor(x, y);
    case OpKind::lt:
      return b.CreateAnd(b.CreateNot(x), y);
    default:
      return b.CreateOr(b.CreateNot(x), y);
  }
}

llvm::Value* emit_compare(EmitContext& e, OpKind op, DType dtype, llvm::Value* x, llvm::Value* y) {
  using Predicate = llvm::CmpInst::Predicate;
  if (dtype == DType::bool_) return emit_compare_bits(e, op, x, y);
  const bool is_signed = is_signed_integer(dtype);
  Predicate predicate = Predicate::FCMP_FALSE;
  if (op == OpKind::eq) {
    predicate = is_float(dtype) ? Predicate::FCMP_OEQ : Predicate::ICMP_EQ;
  } else if (op == OpKind::ne) {
    predicate = is_float(dtype) ? Predicate::FCMP_UNE : Predicate::ICMP_NE;
  } else if (op == OpKind::lt) {
    predicate = is_float(dtype) ? Predicate::FCMP_OLT
                : is_signed     ? Predicate::ICMP_SLT
                                : Predicate::ICMP_ULT;
  } else {
    predicate = is_float(dtype) ? Predicate::FCMP_OLE
                : is_signed     ? Predicate::ICMP_SLE
                                : Predicate::ICMP_ULE;
  }
  return e.b.CreateCmp(predicate, x, y);
}

llvm::Value* emit_arithmetic(EmitContext& e, OpKind op, DType dtype, Operands v) {
  auto& b = e.b;
  const bool fp = is_float(dtype);
  const bool boolean = dtype == DType::bool_;
  switch (op) {
    case OpKind::add:
      return fp        ? b.CreateFAdd(v[0], v[1])
             : boolean ? b.CreateOr(v[0], v[1])
                       : b.CreateAdd(v[0], v[1]);
    case OpKind::sub:
      return fp ? b.CreateFSub(v[0], v[1]) : b.CreateSub(v[0], v[1]);
    case OpKind::mul:
      return fp        ? b.CreateFMul(v[0], v[1])
             : boolean ? b.CreateAnd(v[0], v[1])
                       : b.CreateMul(v[0], v[1]);
    case OpKind::div:
      if (fp) return b.CreateFDiv(v[0], v[1]);
      return boolean ? b.CreateAnd(v[0], v[1]) : emit_integer_division(e, op, dtype, v[0], v[1]);
    case OpKind::rem:
      if (fp) return emit_float_remainder(e, v[0], v[1]);
      return boolean ? integer(v[0], 0) : emit_integer_division(e, op, dtype, v[0], v[1]);
    default:
      check(false, "an arithmetic op");
      return nullptr;
  }
}

llvm::Value* emit_float_unary(EmitContext& e, OpKind op, llvm::Value* x) {
  switch (op) {
    case OpKind::floor:
      return e.unary(llvm::Intrinsic::floor, x);
    case OpKind::round:
      return e.unary(llvm::Intrinsic::roundeven, x);
    case OpKind::sqrt:
      return e.unary(llvm::Intrinsic::sqrt, x);
    default:
      return emit_math(e, op, x);
  }
}

llvm::Value* emit_exact(EmitContext& e, OpKind op, DType dtype, Operands v) {
  auto& b = e.b;
  switch (op) {
    case OpKind::neg:
      return is_float(dtype) ? b.CreateFNeg(v[0]) : b.CreateNeg(v[0]);
    case OpKind::abs:
      return emit_abs(e, dtype, v[0]);
    case OpKind::logical_not:
      return b.CreateNot(v[0]);
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::rem:
      return emit_arithmetic(e, op, dtype, v);
    case OpKind::pow:
      return emit_pow(e, v[0], v[1]);
    case OpKind::maximum:
    case OpKind::minimum:
      return emit_extremum(e, op, dtype, v[0], v[1]);
    case OpKind::eq:
    case OpKind::ne:
    case OpKind::lt:
    case OpKind::le:
      return emit_compare(e, op, dtype, v[0], v[1]);
    case OpKind::bit_and:
      return b.CreateAnd(v[0], v[1]);
    case OpKind::bit_or:
      return b.CreateOr(v[0], v[1]);
    case OpKind::bit_xor:
      return b.CreateXor(v[0], v[1]);
    case OpKind::shift_left:
    case OpKind::shift_right:
      return emit_shift(e, op, dtype, v[0], v[1]);
    case OpKind::where:
      return e.select(v[0], v[1], v[2]);
    default:
      check(is_float(dtype), "an elementwise op");
      return emit_float_unary(e, op, v[0]);
  }
}

}  // namespace

llvm::Value* emit_extremum(EmitContext& e, OpKind op, DType dtype, llvm::Value* x, llvm::Value* y) {
  auto& b = e.b;
  const bool is_max = op == OpKind::maximum || op == OpKind::reduce_max;
  if (dtype == DType::bool_) return is_max ? b.CreateOr(x, y) : b.CreateAnd(x, y);
  if (is_float(dtype)) {
    // One x86 instruction gives x when they are equal or either is NaN: a NaN in y is left to
    // restore. An accumulator is x, so that this check waits for no earlier round.
    llvm::Value* ordered = is_max ? b.CreateFCmpOGT(y, x) : b.CreateFCmpOLT(y, x);
    llvm::Value* result = b.CreateSelect(ordered, y, x);
    return b.CreateSelect(b.CreateFCmpUNO(y, y), y, result);
  }
  if (dtype == DType::u8) {
    return b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::umax : llvm::Intrinsic::umin, x, y);
  }
  return b.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, x, y);
}

llvm::Value* emit_compute(EmitContext& e, OpKind op, DType dtype, Operands operands) {
  llvm::Value* result = emit_exact(e, op, dtype, operands);
  const bool keeps_dtype = result->getType()->getScalarType()->isFloatingPointTy();
  return keeps_dtype ? e.round_to(dtype, result) : result;
}

}  // namespace wick::codegen::llvm_jit
