// Short rows whose loads are guarded by lane, as those of padded images, are walked without loops:
// what a vector's guards leave of it is the same in all rows, and found once in front of them.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// AVX2 has no masks to keep.
bool KernelEmitter::has_guarded_rows() const {
  constexpr int kMostInstructions = 300;
  if (!e_.host.avx512 || kernel_.vector_is_inner() || kernel_.row_bound == 0) return false;
  int work = 0;
  for (const Plan& plan : plans_) {
    if (draws_random_bits(plan)) return false;
    work += work_of(plan);
  }
  return staged_.accesses.empty() && work * vectors_of_row() <= kMostInstructions;
}

llvm::Value* KernelEmitter::are_whole_rows(Range vectors) {
  auto& b = e_.b;
  return b.CreateAnd(b.CreateICmpEQ(vectors.begin, b.getInt64(0)),
                     b.CreateICmpEQ(vectors.end, extent_of(kernel_.vector_dim)));
}

/// So many vectors of each row, of which those from `position` on may end anywhere, and what is
/// known of them in front of the rows.
KernelEmitter::RowPart KernelEmitter::start_part_of_rows(int64_t position,
                                                         int copies,
                                                         bool is_whole) {
  auto& b = e_.b;
  const Scope before = save_scope();
  RowPart part{.scope = {}, .copies = copies, .masks = {}, .num_positions = nullptr};
  llvm::Value* begin = b.getInt64(static_cast<uint64_t>(position));
  part.num_positions = b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copies));
  if (!is_whole) {
    part.num_positions = b.CreateSub(extent_of(kernel_.vector_dim), begin);
    for (int copy = 0; copy < copies; ++copy) {
      const auto behind = static_cast<uint64_t>(int64_t{e_.lanes} * copy);
      part.masks.push_back(lane_mask(b.CreateSub(part.num_positions, b.getInt64(behind))));
    }
  }
  positions_[static_cast<size_t>(kernel_.vector_dim)] = begin;
  enter_part(part);
  enter_dims({kernel_.vector_dim}, nullptr);
  for (const Plan& plan : plans_) {
    for (const int number : plan.phase->instrs) {
      const bool is_known = !slots_[static_cast<size_t>(number)].copies.empty();
      const bool is_of_column = deps_[static_cast<size_t>(number)] == bit(kernel_.vector_dim);
      if (is_of_column && !is_known && !is_pinned(instr(number))) emit_instr(number);
    }
  }
  part.scope = save_scope();
  restore_scope(before);
  masks_.clear();
  return part;
}

void KernelEmitter::enter_part(const RowPart& part) {
  copies_ = part.copies;
  masks_ = part.masks;
  num_positions_ = part.num_positions;
}

void KernelEmitter::emit_guarded_rows(Range tasks, const std::vector<llvm::Value*>& starts) {
  constexpr int kMostCopies = 4;
  in_vector_loop_ = true;
  std::vector<RowPart> parts;
  const int whole = whole_vectors_of_row();
  for (int first = 0; first < whole; first += kMostCopies)
    parts.push_back(start_part_of_rows(
        int64_t{e_.lanes} * first, std::min(kMostCopies, whole - first), /*is_whole=*/true));
  parts.push_back(
      start_part_of_rows(int64_t{e_.lanes} * whole, vectors_of_row() - whole, /*is_whole=*/false));
  for_each_task(tasks, starts, [&] {
    const std::vector<llvm::Value*> positions = positions_;
    for (const RowPart& part : parts) {
      restore_scope(part.scope);
      for (const int dim : task_dims_)
        positions_[static_cast<size_t>(dim)] = positions[static_cast<size_t>(dim)];
      enter_part(part);
      enter_dims(task_dims_, nullptr);
      for (const Plan& plan : plans_)
        if (hides_loads(plan)) emit_prefetches_ahead(plan);
      emit_phases();
    }
    masks_.clear();
  });
  copies_ = 1;
  in_vector_loop_ = false;
}

}  // namespace wick::codegen::llvm_jit
