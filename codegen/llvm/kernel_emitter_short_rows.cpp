// Loads and stores of rows that are shorter than a vector, without masks.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Masked loads of AVX2 that cross a line take long on AMD's processors, and of other elements than
/// 4 or 8 bytes there are none.
bool KernelEmitter::avoids_masked_loads() const {
  return kernel_.short_vector && !e_.host.avx512 && !masks_.empty();
}

/// What begins in one row may be read as a whole vector where as many rows follow as it has lanes.
bool KernelEmitter::may_load_past_row(const Instr& at) const {
  const Stride along_rows = at.address.terms[static_cast<size_t>(s_.copy_dim())].stride;
  return at.predicate < 0 && at.dynamic_index < 0 && !s_.has_lanes_of_own(at.buffer) &&
         vector_stride(at) == Stride::one &&
         (along_rows == Stride::one || along_rows == Stride::dynamic);
}

/// As many rows as the body has copies, one or more times, of which that holds; none where rows
/// follow in front.
llvm::Value* KernelEmitter::end_of_loads_past_rows(llvm::Value* begin, llvm::Value* end) {
  auto& b = e_.b;
  const auto unroll = static_cast<uint64_t>(unroll_);
  llvm::Value* rows =
      b.CreateSub(b.CreateSub(end, begin), b.getInt64(static_cast<uint64_t>(e_.lanes)));
  for (const Instr& at : kernel_.instrs) {
    if (at.kind != InstrKind::load || !may_load_past_row(at)) continue;
    const Affine::Term& term = at.address.terms[static_cast<size_t>(s_.copy_dim())];
    if (term.stride != Stride::dynamic) continue;
    llvm::Value* goes_on = b.CreateICmpSGT(param(term.param), b.getInt64(0));
    rows = b.CreateSelect(goes_on, rows, b.getInt64(0));
  }
  rows = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, rows, b.getInt64(0));
  rows = b.CreateMul(b.CreateUDiv(rows, b.getInt64(unroll)), b.getInt64(unroll));
  return b.CreateAdd(begin, rows);
}

/// Masked stores of AVX2 take some twenty cycles on AMD's processors, which rows shorter than a
/// vector cannot hide.
bool KernelEmitter::avoids_masked_stores(llvm::Type* vector) const {
  const bool has_short_rows = kernel_.short_vector || (!s_.cuts().empty() && copies_ == 1);
  return has_short_rows && !e_.host.avx512 && vector->getScalarSizeInBits() == 32;
}

/// Whether all lanes may be stored: there are as many, or the copies are rows behind each other in
/// memory and those that follow overwrite what is too much.
llvm::Value* KernelEmitter::may_store_all_lanes(const Instr& at, int copy) {
  auto& b = e_.b;
  const auto lanes = static_cast<uint64_t>(e_.lanes);
  llvm::Value* is_full = b.CreateICmpEQ(num_positions_, b.getInt64(lanes));
  llvm::Value* row = copies_ > 1 ? offset_of_copy(at, 1) : nullptr;
  if (row == nullptr) return is_full;
  llvm::Value* is_dense = b.CreateICmpEQ(row, num_positions_);
  const auto rows = static_cast<uint64_t>(copies_ - copy);
  llvm::Value* is_followed =
      b.CreateICmpUGE(b.CreateMul(num_positions_, b.getInt64(rows)), b.getInt64(lanes));
  return b.CreateOr(is_full, b.CreateAnd(is_dense, is_followed));
}

/// All lanes where that may be, else half of them, half of the rest and so on, as far as there are
/// any.
void KernelEmitter::store_short_row(const Instr& at,
                                    int copy,
                                    llvm::Value* value,
                                    llvm::Value* address) {
  auto& b = e_.b;
  const llvm::Align align(size_of(at.dtype));
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, function_);
  };
  llvm::BasicBlock* all = new_block("all_lanes");
  llvm::BasicBlock* some = new_block("some_lanes");
  llvm::BasicBlock* stored = new_block("stored");
  b.CreateCondBr(may_store_all_lanes(at, copy), all, some);
  b.SetInsertPoint(all);
  tag(b.CreateAlignedStore(value, address, align), at.buffer);
  b.CreateBr(stored);
  b.SetInsertPoint(some);
  for (int width = e_.lanes / 2; width >= 1; width /= 2) {
    llvm::BasicBlock* part = new_block("part");
    llvm::BasicBlock* next = new_block("next");
    const auto lanes = static_cast<uint64_t>(width);
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::Value* has_part =
        b.CreateICmpNE(b.CreateAnd(num_positions_, b.getInt64(lanes)), b.getInt64(0));
    b.CreateCondBr(has_part, part, next);
    b.SetInsertPoint(part);
    llvm::SmallVector<int, 16> low;
    llvm::SmallVector<int, 16> others;
    for (int lane = 0; lane < e_.lanes; ++lane) {
      if (lane < width) low.push_back(lane);
      others.push_back(std::min(lane + width, e_.lanes - 1));
    }
    tag(b.CreateAlignedStore(b.CreateShuffleVector(value, low), address, align), at.buffer);
    llvm::Value* rest = b.CreateShuffleVector(value, others);
    llvm::Value* behind =
        b.CreateInBoundsGEP(e_.storage_type(at.dtype), address, b.getInt64(lanes));
    b.CreateBr(next);
    b.SetInsertPoint(next);
    const auto merged = [&](llvm::Value* after_part, llvm::Value* without) {
      llvm::PHINode* either = b.CreatePHI(without->getType(), 2);
      either->addIncoming(without, before);
      either->addIncoming(after_part, part);
      return either;
    };
    value = merged(rest, value);
    address = merged(behind, address);
  }
  b.CreateBr(stored);
  b.SetInsertPoint(stored);
}

}  // namespace wick::codegen::llvm_jit
