#include "wick/codegen/llvm/emit_context.h"

#include <numeric>

#include <llvm/IR/Intrinsics.h>

namespace wick::codegen::llvm_jit {

namespace {

/// Round to nearest even on the bits; NaN keeps its upper payload and becomes quiet.
llvm::Value* bfloat_bits(EmitContext& e, llvm::Value* value) {
  auto& b = e.b;
  llvm::Type* i32 = shaped(b.getInt32Ty(), value);
  llvm::Value* bits = b.CreateBitCast(value, i32);
  llvm::Value* upper = b.CreateLShr(bits, 16);
  llvm::Value* odd = b.CreateAnd(upper, integer(bits, 1));
  llvm::Value* sum = b.CreateAdd(bits, b.CreateAdd(odd, integer(bits, 0x7FFF)));
  llvm::Value* quiet = b.CreateOr(upper, integer(bits, 0x40));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, b.CreateLShr(sum, 16));
}

llvm::Value* float_of_bfloat_bits(EmitContext& e, llvm::Value* bits) {
  llvm::Value* shifted = e.b.CreateShl(bits, 16);
  return e.b.CreateBitCast(shifted, shaped(e.b.getFloatTy(), bits));
}

unsigned lanes_of_register(const HostTarget& host, const llvm::FixedVectorType* vector) {
  constexpr unsigned kFloatBits = 32;
  return kFloatBits * static_cast<unsigned>(host.lanes) / vector->getScalarSizeInBits();
}

llvm::SmallVector<int, 64> consecutive(int first, int count) {
  llvm::SmallVector<int, 64> lanes(static_cast<size_t>(count));
  std::iota(lanes.begin(), lanes.end(), first);
  return lanes;
}

/// c[0] + c[stride] * power + c[2 * stride] * power^2 + ...
llvm::Value* horner(EmitContext& e,
                    llvm::Value* power,
                    llvm::ArrayRef<double> coefficients,
                    size_t stride) {
  size_t at = (coefficients.size() - 1) / stride * stride;
  llvm::Value* sum = real(power, coefficients[at]);
  while (at > 0) {
    at -= stride;
    sum = e.fma(sum, power, real(power, coefficients[at]));
  }
  return sum;
}

}  // namespace

llvm::Type* shaped(llvm::Type* element, const llvm::Value* like) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector == nullptr ? element
                           : llvm::FixedVectorType::get(element, vector->getNumElements());
}

llvm::Constant* real(const llvm::Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Constant* integer(const llvm::Value* like, int64_t value) {
  return llvm::ConstantInt::getSigned(like->getType(), value);
}

bool is_vector(const llvm::Value* value) {
  return value->getType()->isVectorTy();
}

llvm::Type* EmitContext::register_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      return b.getFloatTy();
    case DType::f64:
      return b.getDoubleTy();
    case DType::i8:
    case DType::u8:
      return b.getInt8Ty();
    case DType::i16:
      return b.getInt16Ty();
    case DType::i32:
      return b.getInt32Ty();
    case DType::i64:
      return b.getInt64Ty();
    case DType::bool_:
      return b.getInt1Ty();
  }
  __builtin_unreachable();
}

llvm::Type* EmitContext::storage_type(DType dtype) {
  if (dtype == DType::f16) return b.getHalfTy();
  if (dtype == DType::bf16) return b.getInt16Ty();
  if (dtype == DType::bool_) return b.getInt8Ty();
  return register_type(dtype);
}

llvm::Type* EmitContext::vector_of(llvm::Type* element) const {
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

llvm::Value* EmitContext::to_register(DType dtype, llvm::Value* stored) {
  switch (dtype) {
    case DType::f16:
      return b.CreateFPExt(stored, shaped(b.getFloatTy(), stored));
    case DType::bf16:
      return float_of_bfloat_bits(*this, b.CreateZExt(stored, shaped(b.getInt32Ty(), stored)));
    case DType::bool_:
      return b.CreateICmpNE(stored, integer(stored, 0));
    default:
      return stored;
  }
}

llvm::Value* EmitContext::to_storage(DType dtype, llvm::Value* value) {
  switch (dtype) {
    case DType::f16:
      return b.CreateFPTrunc(value, shaped(b.getHalfTy(), value));
    case DType::bf16:
      // In a register it is rounded already.
      return b.CreateTrunc(b.CreateLShr(b.CreateBitCast(value, shaped(b.getInt32Ty(), value)), 16),
                           shaped(b.getInt16Ty(), value));
    case DType::bool_:
      return b.CreateZExt(value, shaped(b.getInt8Ty(), value));
    default:
      return value;
  }
}

llvm::Value* EmitContext::round_to(DType dtype, llvm::Value* value) {
  if (dtype == DType::f16) return to_register(dtype, to_storage(dtype, value));
  if (dtype == DType::bf16) return float_of_bfloat_bits(*this, bfloat_bits(*this, value));
  return value;
}

llvm::Constant* EmitContext::literal(const Literal& value) {
  llvm::Type* type = register_type(value.type().dtype);
  switch (value.type().dtype) {
    case DType::f32: {
      uint32_t bits = 0;
      std::memcpy(&bits, value.data(), sizeof bits);
      return llvm::ConstantFP::get(
          module.getContext(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
    }
    case DType::f64: {
      uint64_t bits = 0;
      std::memcpy(&bits, value.data(), sizeof bits);
      return llvm::ConstantFP::get(
          module.getContext(), llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
    }
    case DType::f16:
    case DType::bf16:
      return llvm::ConstantFP::get(type, value.as_double(0));
    default:
      return llvm::ConstantInt::getSigned(type, value.as_integer(0));
  }
}

llvm::Value* EmitContext::select(llvm::Value* chosen, llvm::Value* x, llvm::Value* y) {
  const bool is_of_bits = is_vector(x) && x->getType()->getScalarType()->isIntegerTy(1);
  if (!is_of_bits || !is_vector(chosen)) return b.CreateSelect(chosen, x, y);
  return b.CreateOr(b.CreateAnd(chosen, x), b.CreateAnd(b.CreateNot(chosen), y));
}

llvm::Value* EmitContext::splat(llvm::Value* scalar) {
  if (is_vector(scalar)) return scalar;
  const auto count = llvm::ElementCount::getFixed(static_cast<unsigned>(lanes));
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(scalar)) {
    return llvm::ConstantVector::getSplat(count, constant);
  }
  return b.CreateVectorSplat(count, scalar);
}

llvm::Constant* EmitContext::iota(llvm::Type* element) const {
  llvm::SmallVector<llvm::Constant*, 16> values;
  for (int lane = 0; lane < lanes; ++lane)
    values.push_back(llvm::ConstantInt::get(element, lane));
  return llvm::ConstantVector::get(values);
}

llvm::GlobalVariable* EmitContext::constant_table(llvm::Constant* numbers, const char* name) {
  return new llvm::GlobalVariable(module,
                                  numbers->getType(),
                                  /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage,
                                  numbers,
                                  name);
}

llvm::Value* EmitContext::fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  if (!host.fma) return b.CreateFAdd(b.CreateFMul(x, y), z);
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

llvm::Value* EmitContext::polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients) {
  return horner(*this, x, coefficients, 1);
}

llvm::Value* EmitContext::split_polynomial(llvm::Value* x, llvm::ArrayRef<double> coefficients) {
  llvm::Value* square = b.CreateFMul(x, x);
  llvm::Value* odd = horner(*this, square, coefficients.drop_front(), 2);
  return fma(odd, x, horner(*this, square, coefficients, 2));
}

llvm::Value* EmitContext::unary(llvm::Intrinsic::ID intrinsic, llvm::Value* x) {
  return b.CreateUnaryIntrinsic(intrinsic, x);
}

bool EmitContext::has_avx512_for(const llvm::Value* x) const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!host.avx512 || vector == nullptr) return false;
  const llvm::Type* element = vector->getElementType();
  return (element->isFloatTy() || element->isDoubleTy()) &&
         vector->getNumElements() % lanes_of_register(host, vector) == 0;
}

bool EmitContext::has_table_for(const llvm::Value* x) const {
  constexpr int kLeastLanes = 8;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  return host.lanes >= kLeastLanes && vector != nullptr && vector->getElementType()->isFloatTy() &&
         vector->getNumElements() % static_cast<unsigned>(host.lanes) == 0;
}

llvm::Value* EmitContext::by_register(
    llvm::ArrayRef<llvm::Value*> operands,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> emit) {
  const auto* vector = llvm::cast<llvm::FixedVectorType>(operands[0]->getType());
  const auto count = static_cast<int>(vector->getNumElements() / lanes_of_register(host, vector));
  llvm::SmallVector<llvm::SmallVector<llvm::Value*, 4>, 2> parts;
  for (llvm::Value* operand : operands)
    parts.push_back(split(operand, count));
  llvm::SmallVector<llvm::Value*, 4> results;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    llvm::SmallVector<llvm::Value*, 4> part;
    for (const auto& registers : parts)
      part.push_back(registers[i]);
    results.push_back(emit(part));
  }
  return join(results);
}

llvm::Value* EmitContext::join(llvm::ArrayRef<llvm::Value*> parts) {
  if (parts.size() == 1) return parts[0];
  const size_t half = parts.size() / 2;
  llvm::Value* low = join(parts.take_front(half));
  llvm::Value* high = join(parts.drop_front(half));
  const auto count = llvm::cast<llvm::FixedVectorType>(low->getType())->getNumElements();
  return b.CreateShuffleVector(low, high, consecutive(0, 2 * static_cast<int>(count)));
}

llvm::SmallVector<llvm::Value*, 4> EmitContext::split(llvm::Value* wide, int count) {
  if (count == 1) return {wide};
  const auto total = llvm::cast<llvm::FixedVectorType>(wide->getType())->getNumElements();
  const int width = static_cast<int>(total) / count;
  llvm::SmallVector<llvm::Value*, 4> parts;
  for (int i = 0; i < count; ++i)
    parts.push_back(b.CreateShuffleVector(wide, consecutive(i * width, width)));
  return parts;
}

void EmitContext::prefetch(llvm::Value* address, int level) {
  constexpr int kNearest = 4;  // of LLVM's localities, the first level's is 3
  constexpr int kData = 1;
  const auto locality = static_cast<uint32_t>(kNearest - level);
  b.CreateIntrinsic(llvm::Intrinsic::prefetch,
                    {address->getType()},
                    {address, b.getInt32(0), b.getInt32(locality), b.getInt32(kData)});
}

}  // namespace wick::codegen::llvm_jit
