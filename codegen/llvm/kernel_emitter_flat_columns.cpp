// The few columns of many blocks, walked as one while the rows of the blocks are walked in order:
// lanes are columns of several blocks. As with short rows, a body ends where a block does, so that
// each of its copies sees the same columns in every round.

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Whole bodies, of which the last one may take again what the one before it took: what is left
/// behind them is taken apart lane by lane.
void KernelEmitter::emit_flat_columns(Range range, const std::function<void()>& body) {
  auto& b = e_.b;
  const int64_t step = int64_t{e_.lanes} * unroll_;
  llvm::Value* main_end = end_of_whole_steps(range, step);
  llvm::Value* last = nullptr;
  if (s_.stores_are_apart()) {
    last = b.CreateSub(range.end, b.getInt64(static_cast<uint64_t>(step)));
    main_end = b.CreateSelect(b.CreateICmpSGE(last, range.begin), range.end, range.begin);
  }
  start_flat_rows(range.begin);
  emit_unmasked_loop({range.begin, main_end}, unroll_, last, [&] {
    find_blocks_behind();
    body();
    rows_behind_.clear();
  });
  at_row_start_ = false;
  emit_masked_loop({main_end, range.end}, 1, body);
}

/// Those of the next body, where blocks lie behind each other. The machine does not foresee them:
/// what a body reads and writes first is far apart.
void KernelEmitter::find_blocks_behind() {
  if (s_.inner_dims().size() != 1) return;
  auto& b = e_.b;
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  llvm::Value* next =
      b.CreateAdd(position, b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * unroll_)));
  llvm::Value* columns = b.getInt64(static_cast<uint64_t>(kernel_.row_length));
  llvm::Value* elements = b.CreateMul(extent_of(s_.inner_dims()[0]), columns);
  for (const Access& access : accesses_) {
    if (access.buffer < 0 || s_.is_own(access.buffer)) continue;
    const Affine::Term& term = access.address.terms[static_cast<size_t>(kernel_.vector_dim)];
    if (term.stride != Stride::block || term.row_step == 0) continue;
    llvm::Value* step = b.getInt64(static_cast<uint64_t>(term.row_step));
    llvm::Value* pays = b.CreateAnd(exceeds_caches(), b.CreateICmpEQ(step, elements));
    llvm::Type* element =
        e_.storage_type(kernel_.buffers[static_cast<size_t>(access.buffer)].dtype);
    const auto block_at = [&](llvm::Value* begin) {
      return b.CreateGEP(element, access.partial, place_of_row(term, begin));
    };
    rows_behind_.push_back(
        {access.buffer, b.CreateSelect(pays, block_at(next), block_at(position))});
  }
}

/// A copy's columns of several blocks, of each as one piece of memory.
void KernelEmitter::store_of_blocks(const Instr& at, int number, int copy) {
  auto& b = e_.b;
  llvm::Type* element = e_.storage_type(at.dtype);
  const llvm::Align align(size_of(at.dtype));
  const Affine::Term& term = s_.vector_term(at);
  llvm::Value* value = e_.to_storage(at.dtype, operand(at.operands[0], copy, true));
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  llvm::Value* base = access_at(number).partial;
  if (!at_row_start_) {
    llvm::Value* addresses =
        b.CreateInBoundsGEP(element, base, places_in_rows_of(term, position, copy));
    tag(b.CreateMaskedScatter(value, addresses, align, mask_of_copy(copy)), at.buffer);
    return;
  }
  base = b.CreateInBoundsGEP(element, base, place_of_row(term, position));
  const auto place_of = [&](int lane) {
    return s_.place_of_lane(term, int64_t{copy} * e_.lanes + lane);
  };
  for (int lane = 0; lane < e_.lanes;) {
    llvm::SmallVector<int, 16> run;
    do {
      run.push_back(lane++);
    } while (lane < e_.lanes && place_of(lane) == place_of(lane - 1) + 1);
    llvm::Value* place = b.getInt64(static_cast<uint64_t>(place_of(run.front())));
    tag(b.CreateAlignedStore(
            b.CreateShuffleVector(value, run), b.CreateInBoundsGEP(element, base, place), align),
        at.buffer);
  }
}

}  // namespace wick::codegen::llvm_jit
