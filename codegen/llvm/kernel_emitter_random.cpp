// Random numbers: the copies of the body share the words of one set of counters where they can.

#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/codegen/llvm/philox.h"

namespace wick::codegen::llvm_jit {

/// Whether the copies are all words of some counters or half of them: 64 or 32 elements behind
/// each other.
bool KernelEmitter::may_share_random_words(const Instr& at) const {
  const int all = s_.copies_that_share_words();
  const bool is_half = copies_ * 2 == all && e_.lanes < KernelSchedule::kCounters;
  if (at.kind != InstrKind::random_bits || e_.lanes > KernelSchedule::kCounters) return false;
  if (copies_ != all && !is_half) return false;
  const Instr& element = s_.instr(at.operands[2]);
  return in_vector_loop_ && s_.copy_dim() == kernel_.vector_dim &&
         element.kind == InstrKind::index && vector_stride(element) == Stride::one &&
         !s_.varies(at.operands[0]) && !s_.varies(at.operands[1]);
}

/// Words of all copies, the first of which begins where words do.
Values KernelEmitter::emit_shared_words(const Instr& at, llvm::Value* first) {
  auto& b = e_.b;
  const int vectors = KernelSchedule::kCounters / e_.lanes;  // of counters
  std::vector<std::array<llvm::Value*, 4>> words;
  for (int copy = 0; copy < vectors; ++copy) {
    words.push_back(emit_random_words(e_,
                                      operand(at.operands[0], 0, true),
                                      operand(at.operands[1], 0, true),
                                      operand(at.operands[2], copy, true)));
  }
  llvm::Value* in_second_half =
      b.CreateICmpNE(b.CreateAnd(first, b.getInt64(2 * KernelSchedule::kCounters)), b.getInt64(0));
  const bool is_half = copies_ < s_.copies_that_share_words();
  Values copies;
  for (int copy = 0; copy < copies_; ++copy) {
    const auto& of_vector = words[static_cast<size_t>(copy % vectors)];
    const auto word = static_cast<size_t>(copy / vectors);
    copies.push_back(is_half ? b.CreateSelect(in_second_half, of_vector[word + 2], of_vector[word])
                             : of_vector[word]);
  }
  return copies;
}

/// The words of counters together where the first element is a multiple of as many, as it is unless
/// rows have odd lengths; else a word of each copy's own counters.
Values KernelEmitter::emit_random_copies(const Instr& at) {
  auto& b = e_.b;
  const auto access = static_cast<size_t>(access_of_[static_cast<size_t>(at.operands[2])]);
  llvm::Value* first = accesses_[access].partial;
  const auto mask = static_cast<uint64_t>(copies_ * e_.lanes - 1);
  llvm::Value* is_first =
      b.CreateICmpEQ(b.CreateAnd(first, b.getInt64(mask)), b.getInt64(0), "is_first");
  return emit_either(
      is_first,
      [&] { return emit_shared_words(at, first); },
      [&] {
        Values copies;
        for (int copy = 0; copy < copies_; ++copy)
          copies.push_back(emit_random_bits(e_,
                                            operand(at.operands[0], 0, true),
                                            operand(at.operands[1], 0, true),
                                            operand(at.operands[2], copy, true)));
        return copies;
      });
}

}  // namespace wick::codegen::llvm_jit
