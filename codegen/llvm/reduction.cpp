#include "wick/codegen/llvm/reduction.h"

#include <algorithm>
#include <limits>

#include "wick/codegen/llvm/compute.h"
#include "wick/ir/check.h"

namespace wick::codegen::llvm_jit {

namespace {

using ir::OpKind;

bool is_max(OpKind op) {
  return op == OpKind::reduce_max || op == OpKind::argmax;
}

/// Of which a NaN in any lane is the result.
bool is_extremum_of_floats(const Reduction& reduction) {
  return is_float(reduction.dtype) && !reduction.passes_over_nan &&
         (reduction.op == OpKind::reduce_max || reduction.op == OpKind::reduce_min);
}

/// No number is worse, so the first candidate is taken.
llvm::Constant* worst(EmitContext& e, const Reduction& reduction, llvm::Type* type) {
  if (is_float(reduction.dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return llvm::ConstantFP::get(type, is_max(reduction.op) ? -infinity : infinity);
  }
  if (reduction.dtype == DType::bool_) {
    return llvm::ConstantInt::get(type, is_max(reduction.op) ? 0 : 1);
  }
  const unsigned width = type->getScalarSizeInBits();
  const bool is_signed = is_signed_integer(reduction.dtype);
  const llvm::APInt low =
      is_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getMinValue(width);
  const llvm::APInt high =
      is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  (void)e;
  return llvm::ConstantInt::get(type, is_max(reduction.op) ? low : high);
}

/// Whether y replaces x: it is larger, or as large and earlier. NaN is largest.
llvm::Value* is_better(EmitContext& e, const Reduction& reduction, Partial x, Partial y) {
  auto& b = e.b;
  llvm::Value* better = nullptr;
  llvm::Value* equal = nullptr;
  if (is_float(reduction.dtype)) {
    llvm::Value* x_nan = b.CreateFCmpUNO(x.value, x.value);
    llvm::Value* y_nan = b.CreateFCmpUNO(y.value, y.value);
    llvm::Value* ordered = b.CreateFCmpOGT(y.value, x.value);
    better = b.CreateOr(ordered, b.CreateAnd(y_nan, b.CreateNot(x_nan)));
    equal = b.CreateOr(b.CreateFCmpOEQ(y.value, x.value), b.CreateAnd(x_nan, y_nan));
  } else {
    better = is_signed_integer(reduction.dtype) ? b.CreateICmpSGT(y.value, x.value)
                                                : b.CreateICmpUGT(y.value, x.value);
    equal = b.CreateICmpEQ(x.value, y.value);
  }
  llvm::Value* earlier = b.CreateICmpSLT(y.position, x.position);
  return b.CreateOr(better, b.CreateAnd(equal, earlier));
}

}  // namespace

Partial reduction_start(EmitContext& e, const Reduction& reduction) {
  llvm::Type* type = e.vector_of(e.register_type(reduction.dtype));
  if (reduction.tracks_position()) {
    constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    llvm::Type* i64 = e.vector_of(e.b.getInt64Ty());
    return {worst(e, reduction, type), llvm::ConstantInt::get(i64, kNone)};
  }
  if (reduction.op == OpKind::reduce_sum) {
    // -0 is what float addition leaves alone, but a sum of nothing is +0.
    return {llvm::Constant::getNullValue(type)};
  }
  if (reduction.op == OpKind::reduce_prod) {
    return {is_float(reduction.dtype) ? llvm::ConstantFP::get(type, 1)
                                      : llvm::ConstantInt::get(type, 1)};
  }
  return {worst(e, reduction, type)};
}

Partial combine(EmitContext& e, const Reduction& reduction, Partial x, Partial y) {
  auto& b = e.b;
  switch (reduction.op) {
    case OpKind::reduce_sum: {
      if (reduction.dtype == DType::bool_) return {b.CreateOr(x.value, y.value)};
      if (!is_float(reduction.dtype)) return {b.CreateAdd(x.value, y.value)};
      llvm::Value* sum = b.CreateFAdd(x.value, y.value);
      if (auto* add = llvm::dyn_cast<llvm::Instruction>(sum)) add->setHasAllowReassoc(true);
      return {sum};
    }
    case OpKind::reduce_prod:
      if (!is_float(reduction.dtype)) return {b.CreateMul(x.value, y.value)};
      return {b.CreateFMul(x.value, y.value)};
    case OpKind::reduce_max:
    case OpKind::reduce_min:
      // A comparison with NaN is false, so that the first operand stays.
      if (reduction.passes_over_nan)
        return {b.CreateSelect(b.CreateFCmpOGT(y.value, x.value), y.value, x.value)};
      return {emit_extremum(e, reduction.op, reduction.dtype, x.value, y.value)};
    case OpKind::argmax: {
      llvm::Value* takes_y = is_better(e, reduction, x, y);
      return {b.CreateSelect(takes_y, y.value, x.value),
              b.CreateSelect(takes_y, y.position, x.position)};
    }
    default:
      check(false, "a reduction");
      return {};
  }
}

Partial fold(EmitContext& e,
             const Reduction& reduction,
             llvm::SmallVector<Partial, 8> copies,
             bool folds_lanes) {
  auto& b = e.b;
  const bool finds_nan_apart = folds_lanes && is_extremum_of_floats(reduction);
  llvm::Value* has_nan = nullptr;
  if (finds_nan_apart) {
    llvm::Value* lanes = nullptr;
    for (size_t i = 0; i < copies.size(); i += 2) {
      llvm::Value* other = copies[std::min(i + 1, copies.size() - 1)].value;
      llvm::Value* of_two = b.CreateFCmpUNO(copies[i].value, other);
      lanes = lanes == nullptr ? of_two : b.CreateOr(lanes, of_two);
    }
    has_nan = b.CreateOrReduce(lanes);
  }
  const auto join = [&](Partial x, Partial y) -> Partial {
    if (!finds_nan_apart) return combine(e, reduction, x, y);
    llvm::Value* takes_y = is_max(reduction.op) ? b.CreateFCmpOGT(y.value, x.value)
                                                : b.CreateFCmpOLT(y.value, x.value);
    return {b.CreateSelect(takes_y, y.value, x.value)};
  };
  while (copies.size() > 1) {
    const size_t half = (copies.size() + 1) / 2;
    for (size_t i = 0; half + i < copies.size(); ++i)
      copies[i] = join(copies[i], copies[half + i]);
    copies.resize(half);
  }
  Partial x = copies[0];
  if (!folds_lanes) return x;
  const auto half_of = [&](llvm::Value* v, int first, int count) -> llvm::Value* {
    if (v == nullptr) return nullptr;
    if (count == 1) return b.CreateExtractElement(v, static_cast<uint64_t>(first));
    llvm::SmallVector<int, 16> mask;
    for (int lane = 0; lane < count; ++lane)
      mask.push_back(first + lane);
    return b.CreateShuffleVector(v, mask);
  };
  for (int count = e.lanes / 2; count >= 1; count /= 2) {
    const Partial low{half_of(x.value, 0, count), half_of(x.position, 0, count)};
    const Partial high{half_of(x.value, count, count), half_of(x.position, count, count)};
    x = join(low, high);
  }
  if (has_nan == nullptr) return x;
  return {b.CreateSelect(has_nan, llvm::ConstantFP::getNaN(x.value->getType()), x.value)};
}

llvm::Value* reduction_result(EmitContext& e, const Reduction& reduction, Partial x) {
  if (reduction.tracks_position()) return x.position;
  return is_float(reduction.dtype) ? e.round_to(reduction.dtype, x.value) : x.value;
}

}  // namespace wick::codegen::llvm_jit
