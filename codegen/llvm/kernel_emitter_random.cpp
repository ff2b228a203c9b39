// Random numbers: the copies of the body share the words of one set of counters where they can.

#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/codegen/llvm/philox.h"

namespace wick::codegen::llvm_jit {

/// Whether the copies are the words of 64 elements behind each other.
bool KernelEmitter::may_share_random_words(const Instr& at) const {
  if (at.kind != InstrKind::random_bits || e_.lanes != 16 || copies_ != 4) return false;
  const Instr& element = instr(at.operands[2]);
  return in_vector_loop_ && copy_dim_ == kernel_.vector_dim && element.kind == InstrKind::index &&
         vector_stride(element) == Stride::one && !varies(at.operands[0]) &&
         !varies(at.operands[1]);
}

/// All four words of each counter where the first element is a multiple of 64, as it is unless rows
/// have odd lengths; else a word of each copy's own counters.
KernelEmitter::Values KernelEmitter::emit_random_copies(const Instr& at) {
  auto& b = e_.b;
  llvm::Value* key = operand(at.operands[0], 0, true);
  llvm::Value* offset = operand(at.operands[1], 0, true);
  const auto access = static_cast<size_t>(access_of_[static_cast<size_t>(at.operands[2])]);
  llvm::Value* is_first = b.CreateICmpEQ(
      b.CreateAnd(accesses_[access].partial, b.getInt64(63)), b.getInt64(0), "is_first");
  auto* together = llvm::BasicBlock::Create(b.getContext(), "together", function_);
  auto* apart = llvm::BasicBlock::Create(b.getContext(), "apart", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "random", function_);
  b.CreateCondBr(is_first, together, apart);

  b.SetInsertPoint(together);
  const auto words = emit_random_words(e_, key, offset, operand(at.operands[2], 0, true));
  b.CreateBr(after);
  b.SetInsertPoint(apart);
  Values single;
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value* element = operand(at.operands[2], copy, true);
    single.push_back(emit_random_bits(e_, key, offset, element));
  }
  b.CreateBr(after);

  b.SetInsertPoint(after);
  Values copies;
  for (size_t copy = 0; copy < words.size(); ++copy) {
    llvm::PHINode* bits = b.CreatePHI(words[copy]->getType(), 2);
    bits->addIncoming(words[copy], together);
    bits->addIncoming(single[copy], apart);
    copies.push_back(bits);
  }
  return copies;
}

}  // namespace wick::codegen::llvm_jit
