// What reductions keep from step to step: a vector for each copy of the body, of each row or chain
// that is walked at once.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// The loop over an outer vector dimension may stand in its rest, with fewer copies.
int KernelEmitter::num_accumulator_copies() const {
  return kernel_.vector_is_inner() || kernel_.short_vector ? unroll_ : copies_;
}

void KernelEmitter::start_accumulators(const Plan& plan) {
  accumulators_.clear();
  accumulator_at_.clear();
  const int rows = static_cast<int>(std::max<size_t>(rows_.size(), 1));
  const int copies = num_accumulator_copies() * rows * chains_;
  for (const int number : plan.accumulates) {
    accumulator_at_[number] = static_cast<int>(accumulators_.size());
    const Reduction reduction = s_.reduction_of(number);
    for (int copy = 0; copy < copies; ++copy) {
      const Partial start = reduction_start(e_, reduction);
      accumulators_.push_back(start.value);
      if (reduction.tracks_position()) accumulators_.push_back(start.position);
    }
  }
}

/// The place of copy 0, of the row or chain that is being emitted.
size_t KernelEmitter::first_accumulator(int number) const {
  const size_t width = s_.reduction_of(number).tracks_position() ? 2 : 1;
  return static_cast<size_t>(accumulator_at_.lookup(number)) +
         (row_ + chain_) * width * static_cast<size_t>(num_accumulator_copies());
}

void KernelEmitter::emit_accumulate(const Instr& at, int number) {
  const Reduction reduction = s_.reduction_of(number);
  const size_t width = reduction.tracks_position() ? 2 : 1;
  const size_t first = first_accumulator(number);
  const Partial start = reduction_start(e_, reduction);
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value** place = &accumulators_[first + static_cast<size_t>(copy) * width];
    const Partial old{place[0], width == 2 ? place[1] : nullptr};
    Partial next{operand(at.operands[0], copy, true)};
    if (width == 2) next.position = operand(at.operands[1], copy, true);
    // What nothing reduces to needs no instruction, but that a sum of -0 is 0.
    const bool is_needed = copy == 0 && at.op == ir::OpKind::reduce_sum;
    const bool is_first = s_.row_in_registers() && !is_needed && old.value == start.value &&
                          old.position == start.position;
    Partial result = is_first ? next : combine(e_, reduction, old, next);
    // Lanes past a row become nobody's result.
    llvm::Value* mask = loads_past_rows_ ? nullptr : mask_of_copy(copy);
    if (new_lanes_ != nullptr) mask = new_lanes_;
    const auto keep_masked = [&](llvm::Value* updated, llvm::Value* before) {
      return mask == nullptr ? updated : e_.select(mask, updated, before);
    };
    place[0] = keep_masked(result.value, old.value);
    if (width == 2) place[1] = keep_masked(result.position, old.position);
  }
}

void KernelEmitter::finish_accumulators(const Plan& plan) {
  const bool folds_lanes = kernel_.vector_is_inner();
  const bool folds = folds_lanes || kernel_.short_vector;
  const int copies = num_accumulator_copies();
  for (const int number : plan.accumulates) {
    const Reduction reduction = s_.reduction_of(number);
    const size_t width = reduction.tracks_position() ? 2 : 1;
    const size_t first = first_accumulator(number);
    llvm::SmallVector<Partial, 8> partials;
    for (int copy = 0; copy < copies; ++copy) {
      llvm::Value** place = &accumulators_[first + static_cast<size_t>(copy) * width];
      partials.push_back({place[0], width == 2 ? place[1] : nullptr});
    }
    Slot slot;
    if (folds) partials = {fold(e_, reduction, partials, folds_lanes)};
    for (const Partial& partial : partials) {
      slot.copies.push_back(reduction_result(e_, reduction, partial));
    }
    add_other_forms(number, slot);
    slots_[static_cast<size_t>(number)] = std::move(slot);
  }
}

}  // namespace wick::codegen::llvm_jit
