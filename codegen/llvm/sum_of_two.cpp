#include "wick/codegen/llvm/sum_of_two.h"

namespace wick::codegen::llvm_jit {

SumOfTwo exact_product(EmitContext& e, llvm::Value* x, llvm::Value* y) {
  llvm::Value* high = e.b.CreateFMul(x, y);
  return {high, e.fma(x, y, e.b.CreateFNeg(high))};
}

SumOfTwo multiply(EmitContext& e, const SumOfTwo& x, llvm::Value* y) {
  const auto [high, low] = exact_product(e, x.high, y);
  return {high, e.fma(x.low, y, low)};
}

SumOfTwo multiply(EmitContext& e, const SumOfTwo& x, const SumOfTwo& y) {
  const auto [high, low] = exact_product(e, x.high, y.high);
  return {high, e.fma(x.low, y.high, e.fma(x.high, y.low, low))};
}

SumOfTwo add(EmitContext& e, llvm::Value* large, const SumOfTwo& x) {
  llvm::Value* high = e.b.CreateFAdd(large, x.high);
  llvm::Value* lost = e.b.CreateFSub(x.high, e.b.CreateFSub(high, large));
  return {high, e.b.CreateFAdd(lost, x.low)};
}

SumOfTwo normalized(EmitContext& e, const SumOfTwo& x) {
  llvm::Value* high = e.b.CreateFAdd(x.high, x.low);
  return {high, e.b.CreateFSub(x.low, e.b.CreateFSub(high, x.high))};
}

SumOfTwo artanh_argument(EmitContext& e, llvm::Value* m) {
  auto& b = e.b;
  llvm::Value* one = real(m, 1);
  llvm::Value* top = b.CreateFSub(m, one);  // exact
  llvm::Value* bottom = b.CreateFAdd(m, one);
  llvm::Value* bottom_lost = b.CreateFSub(m, b.CreateFSub(bottom, one));
  llvm::Value* inverse = b.CreateFDiv(one, bottom);
  llvm::Value* s = b.CreateFMul(top, inverse);
  llvm::Value* negative = b.CreateFNeg(s);
  llvm::Value* missing = e.fma(negative, bottom_lost, e.fma(negative, bottom, top));
  return {s, b.CreateFMul(missing, inverse)};
}

SumOfTwo clamped(EmitContext& e, const SumOfTwo& x, double bound) {
  auto& b = e.b;
  llvm::Value* lowest = real(x.high, -bound);
  llvm::Value* highest = real(x.high, bound);
  llvm::Value* is_above = b.CreateFCmpOGT(x.high, lowest);
  llvm::Value* is_within = b.CreateAnd(is_above, b.CreateFCmpOLT(x.high, highest));
  llvm::Value* high = b.CreateSelect(is_above, x.high, lowest);
  return {b.CreateSelect(b.CreateFCmpOLT(high, highest), high, highest),
          b.CreateSelect(is_within, x.low, real(x.low, 0))};
}

}  // namespace wick::codegen::llvm_jit
