// Reductions of so few columns that the accumulators of all of them are in registers. A chain of
// additions for each vector of columns would wait for itself, so several rows are added at a time,
// to accumulators of their own.

#include <algorithm>
#include <utility>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Machines that mind masks compute some columns twice instead: the last vector ends where the row
/// does. Nothing may ask which columns they are.
bool KernelEmitter::may_overlap_columns() const {
  const auto asks = [&](const Instr& at) {
    const auto number = static_cast<int>(&at - kernel_.instrs.data());
    return at.kind == InstrKind::random_bits || at.predicate >= 0 ||
           (at.kind == InstrKind::index && s_.varies(number));
  };
  return s_.avoids_masks() && unroll_ == kernel_.column_vectors && s_.stores_are_apart() &&
         std::ranges::none_of(kernel_.instrs, asks);
}

/// Rows of a launch that shares out columns may end earlier.
void KernelEmitter::emit_few_columns(Range range, const std::function<void()>& body) {
  auto& b = e_.b;
  const auto masked = [&] { emit_masked_loop(range, unroll_, body); };
  if (!may_overlap_columns()) return masked();
  const auto before_last = static_cast<uint64_t>(int64_t{e_.lanes} * (unroll_ - 1));
  llvm::Value* length = b.CreateSub(range.end, range.begin);
  const auto whole = [&] {
    const Scope before = save_scope();
    copies_ = unroll_;
    positions_[static_cast<size_t>(kernel_.vector_dim)] = range.begin;
    num_positions_ = length;
    last_copy_begins_ = b.CreateSub(length, b.getInt64(static_cast<uint64_t>(e_.lanes)));
    body();
    last_copy_begins_ = nullptr;
    restore_scope(before);
  };
  emit_if(b.CreateICmpSGT(length, b.getInt64(before_last)), whole, masked);
}

/// The loop over the last inner dimension.
void KernelEmitter::emit_chains(Range range, const std::function<void(llvm::Value*)>& body) {
  auto& b = e_.b;
  llvm::Value* main_end = end_of_whole_steps(range, chains_);
  loop(range.begin, main_end, chains_, [&](llvm::Value* first) {
    const Scope before = save_scope();
    for (chain_ = 0; chain_ < static_cast<size_t>(chains_); ++chain_) {
      restore_scope(before);
      body(b.CreateAdd(first, b.getInt64(chain_)));
    }
    chain_ = 0;
  });
  loop(main_end, range.end, 1, body);
}

/// Makes one accumulator of those of all chains.
void KernelEmitter::join_chains(const Plan& plan) {
  const auto chains = static_cast<size_t>(std::exchange(chains_, 1));
  if (chains == 1) return;
  const auto copies = static_cast<size_t>(num_accumulator_copies());
  for (const int number : plan.accumulates) {
    const Reduction reduction = s_.reduction_of(number);
    const size_t width = reduction.tracks_position() ? 2 : 1;
    const size_t first = first_accumulator(number);
    for (size_t copy = 0; copy < copies; ++copy) {
      llvm::SmallVector<Partial, 8> partials;
      for (size_t chain = 0; chain < chains; ++chain) {
        llvm::Value** place = &accumulators_[first + (chain * copies + copy) * width];
        partials.push_back({place[0], width == 2 ? place[1] : nullptr});
      }
      const Partial all = fold(e_, reduction, partials, /*folds_lanes=*/false);
      llvm::Value** place = &accumulators_[first + copy * width];
      place[0] = all.value;
      if (width == 2) place[1] = all.position;
    }
  }
}

}  // namespace wick::codegen::llvm_jit
