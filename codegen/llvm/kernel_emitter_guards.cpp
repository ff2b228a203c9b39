// Loads under guards: concatenations and padding ask of each element whose it is. Where that
// changes along the vector dimension the vector loop is cut, and between cuts a guard has one value
// for all lanes. A load that is not wanted reads zeros elsewhere: masked loads of nothing may take
// hundreds of cycles where there is no memory.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// How many positions there are from that of the copy's first lane, or row, to the first at which
/// the comparison is another, or to the one that is equal; may be negative.
llvm::Value* KernelEmitter::positions_to_cut(const Instr& at, int copy, llvm::Value* row) {
  auto& b = e_.b;
  const int position = s_.compared_position(at);
  const bool is_left = at.operands[0] == position;
  llvm::Value* start =
      accesses_[static_cast<size_t>(access_of_[static_cast<size_t>(position)])].partial;
  if (row != nullptr) start = b.CreateAdd(start, row);
  llvm::Value* count = b.CreateSub(operand(at.operands[is_left ? 1 : 0], copy, false), start);
  const bool takes_equal = (at.op == ir::OpKind::le) == is_left;
  return splits_lanes(at.op) && takes_equal ? b.CreateAdd(count, b.getInt64(1)) : count;
}

/// The first position of the vector dimension at which the comparison is another.
llvm::Value* KernelEmitter::place_of_cut(int cut) {
  const Instr& at = s_.instr(cut);
  const int bound = at.operands[at.operands[0] == s_.compared_position(at) ? 1 : 0];
  if (slots_[static_cast<size_t>(bound)].copies.empty()) emit_instr(bound);
  return positions_to_cut(at, 0, nullptr);
}

/// Lanes of 4 bytes each tell it sooner than the positions themselves, which have 8.
llvm::Value* KernelEmitter::emit_position_comparison(const Instr& at, int copy) {
  auto& b = e_.b;
  const int position = s_.compared_position(at);
  const bool is_left = at.operands[0] == position;
  const bool is_row = s_.copy_dim() != kernel_.vector_dim;
  llvm::Value* row = is_row ? offset_of_copy(s_.instr(position), copy) : nullptr;
  llvm::Value* count = positions_to_cut(at, copy, row);
  // One limit for the lanes of all copies.
  const int64_t lanes = int64_t{e_.lanes} * (is_row ? 1 : copies_);
  const int64_t least = splits_lanes(at.op) ? 0 : -1;
  count = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, count, b.getInt64(static_cast<uint64_t>(least)));
  count = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, count, b.getInt64(static_cast<uint64_t>(lanes)));
  llvm::Value* limit = e_.splat(b.CreateTrunc(count, b.getInt32Ty()));
  const auto first = static_cast<uint32_t>(is_row ? 0 : e_.lanes * copy);
  llvm::Value* lane = b.CreateAdd(e_.iota(b.getInt32Ty()), e_.splat(b.getInt32(first)));
  if (!splits_lanes(at.op)) return b.CreateICmpEQ(lane, limit);
  return is_left ? b.CreateICmpSLT(lane, limit) : b.CreateICmpSGE(lane, limit);
}

/// Calls body for the parts of a range that cuts leave. Short rows and their parts are too short to
/// find lines where stores past the caches begin.
void KernelEmitter::emit_sections(Range range,
                                  llvm::ArrayRef<int> streams,
                                  const SectionBody& body) {
  if (s_.cuts().empty()) {
    return body(range, s_.rows_have_no_lines() ? llvm::ArrayRef<int>() : streams);
  }
  if (streams.empty()) return emit_cut_range(range, {}, body);
  constexpr uint64_t kLongRow = 1024;
  auto& b = e_.b;
  llvm::Value* length = b.CreateSub(range.end, range.begin);
  emit_if(
      b.CreateICmpSGE(length, b.getInt64(kLongRow)),
      [&] { emit_cut_range(range, streams, body); },
      [&] { emit_cut_range(range, {}, body); });
}

void KernelEmitter::emit_cut_range(Range range,
                                   llvm::ArrayRef<int> streams,
                                   const SectionBody& body) {
  auto& b = e_.b;
  const Scope scope = save_scope();
  Values places;
  for (const int cut : s_.cuts())
    places.push_back(place_of_cut(cut));
  auto* before = b.GetInsertBlock();
  auto* section = llvm::BasicBlock::Create(b.getContext(), "section", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "sections_done", function_);
  b.CreateCondBr(b.CreateICmpSLT(range.begin, range.end), section, after);
  b.SetInsertPoint(section);
  llvm::PHINode* begin = b.CreatePHI(b.getInt64Ty(), 2);
  begin->addIncoming(range.begin, before);
  llvm::Value* end = range.end;
  for (llvm::Value* place : places) {
    llvm::Value* ahead = b.CreateSelect(b.CreateICmpSGT(place, begin), place, end);
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, ahead);
  }
  body({begin, end}, streams);
  begin->addIncoming(end, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(end, range.end), section, after);
  b.SetInsertPoint(after);
  restore_scope(scope);
}

/// Where copy 0 of a choice, or of a load that may be chosen, is read.
llvm::Value* KernelEmitter::address_of_choice(int number) {
  const Instr& at = s_.instr(number);
  if (at.kind == InstrKind::load)
    return address_if(operand(at.predicate, 0, false), address_of(at, number, 0));
  return e_.b.CreateSelect(operand(at.operands[0], 0, false),
                           address_of_choice(at.operands[1]),
                           address_of_choice(at.operands[2]));
}

Values KernelEmitter::emit_choice(int number) {
  auto& b = e_.b;
  const Instr& at = s_.instr(number);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Type* vector = in_vector_loop_ ? e_.vector_of(element) : element;
  const llvm::Align align(size_of(at.dtype));
  llvm::Value* address = address_of_choice(number);
  Values copies;
  for (int copy = 0; copy < (s_.has_copies(number) ? copies_ : 1); ++copy) {
    llvm::Value* place =
        b.CreateConstInBoundsGEP1_64(element, address, static_cast<uint64_t>(copy_distance(copy)));
    if (in_stream_loop_ && s_.asks_ahead(s_.plans()[0]))
      e_.prefetch(b.CreateGEP(element, place, distance_ahead(at)));
    llvm::Value* mask = mask_of_copy(copy);
    llvm::Value* load =
        mask == nullptr
            ? static_cast<llvm::Value*>(b.CreateAlignedLoad(vector, place, align))
            : b.CreateMaskedLoad(vector, place, align, mask, llvm::Constant::getNullValue(vector));
    copies.push_back(e_.to_register(at.dtype, load));
  }
  return copies;
}

/// As many as copies may read.
llvm::Value* KernelEmitter::zeros() {
  constexpr int kMostCopies = 16;
  auto& b = e_.b;
  if (zeros_ == nullptr) {
    auto* type =
        llvm::ArrayType::get(b.getInt64Ty(), static_cast<uint64_t>(e_.lanes) * kMostCopies);
    zeros_ = new llvm::GlobalVariable(e_.module,
                                      type,
                                      /*isConstant=*/true,
                                      llvm::GlobalValue::PrivateLinkage,
                                      llvm::Constant::getNullValue(type),
                                      "zeros");
    zeros_->setAlignment(kCacheLine);
  }
  return zeros_;
}

/// The address where a lane is wanted, else one of zeros.
llvm::Value* KernelEmitter::address_if(llvm::Value* wanted, llvm::Value* address) {
  return e_.b.CreateSelect(wanted, address, zeros());
}

}  // namespace wick::codegen::llvm_jit
