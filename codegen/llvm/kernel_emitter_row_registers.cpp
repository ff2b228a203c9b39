// Rows of few vectors are walked without loops: what later phases need of a row stays in registers,
// and nothing waits for the end of a loop that cannot be foreseen. Where loops walk rows of 48
// elements one by one, a softmax takes 1.9 times as long. Several rows at once, phase by phase, do
// not wait for each other's folds: of 64 elements one by one it takes 1.4 times as long.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// A store to memory of the kernel's own, or a load from there.
void KernelEmitter::emit_kept_value(const Instr& at, int number) {
  Slot loaded;
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value*& kept = kept_values_[{at.buffer, row_, first_of_part_ + copy}];
    if (at.kind == InstrKind::load) {
      loaded.copies.push_back(kept);
    } else {
      kept = operand(at.operands[0], copy, true);
    }
  }
  if (at.kind == InstrKind::load) slots_[static_cast<size_t>(number)] = std::move(loaded);
}

/// Whether rows are whole vectors that go past the caches.
llvm::Value* KernelEmitter::whole_rows_stream() {
  if (rows_stream_ != nullptr) return rows_stream_;
  auto& b = e_.b;
  llvm::Value* length = extent_of(kernel_.vector_dim);
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  llvm::Value* is_whole =
      b.CreateICmpEQ(length, b.getInt64(static_cast<uint64_t>(kernel_.row_bound)));
  rows_stream_ = b.CreateAnd(streams_pay(), is_whole);
  return rows_stream_;
}

void KernelEmitter::emit_row_in_registers(const Plan& plan) {
  auto& b = e_.b;
  const llvm::SmallVector<int, 4> streams = s_.streams_of(plan);
  in_vector_loop_ = true;
  const auto emit_rows = [&](bool are_whole) {
    for_each_row([&] { emit_vectors_of_row(plan, are_whole); });
  };
  if (streams.empty() || !plan.accumulates.empty()) {
    emit_rows(/*are_whole=*/false);
  } else {
    llvm::Value* starts = b.getInt64(0);
    for_each_row([&] { starts = b.CreateOr(starts, bits_of_starts(streams, b.getInt64(0))); });
    emit_if(
        b.CreateAnd(whole_rows_stream(), are_aligned(starts)),
        [&] {
          in_stream_loop_ = true;
          emit_rows(/*are_whole=*/true);
          in_stream_loop_ = false;
        },
        [&] { emit_rows(/*are_whole=*/false); });
  }
  in_vector_loop_ = false;
  copies_ = 1;
}

/// As many vectors at once as a loop over longer rows takes. With AVX-512 the last one has a mask.
/// Else those that a row may not fill end where it does, and only what no vector before them had is
/// accumulated: masked stores of AVX2 take some twenty cycles on AMD's processors.
void KernelEmitter::emit_vectors_of_row(const Plan& plan, bool is_whole) {
  auto& b = e_.b;
  const int vectors = s_.vectors_of_row();
  const int end = is_whole || e_.host.avx512 ? vectors : s_.whole_vectors_of_row();
  for (int first = 0; first < end; first += unroll_) {
    copies_ = std::min(unroll_, end - first);
    if (!is_whole && first + copies_ == vectors) {
      masks_.assign(static_cast<size_t>(copies_), nullptr);
      masks_.back() = mask_of_row_end();
    }
    emit_part_of_row(plan, first, b.getInt64(static_cast<uint64_t>(int64_t{first} * e_.lanes)));
    masks_.clear();
  }
  copies_ = 1;
  for (int last = end; last < vectors; ++last) {
    const auto [position, mask] = place_of_row_end(last);
    new_lanes_ = mask;
    emit_part_of_row(plan, last, position);
    new_lanes_ = nullptr;
  }
}

void KernelEmitter::emit_part_of_row(const Plan& plan, int first, llvm::Value* position) {
  const Scope before = save_scope();
  first_of_part_ = first;
  positions_[static_cast<size_t>(kernel_.vector_dim)] = position;
  enter_dims({kernel_.vector_dim}, &plan);
  if (!masks_.empty()) emit_prefetches_of_masked_lines(plan);
  emit_level(plan, kInnerLevel, kInnerLevel);
  restore_scope(before);
}

/// Of rows to come, where Zen 5 foresees no line that masked loads alone read: the fourth of each
/// row of 64 elements came from memory as late as it was wanted, and logsumexp of 30003 such rows
/// took 2.0 ms instead of 0.6.
void KernelEmitter::emit_prefetches_of_masked_lines(const Plan& plan) {
  if (!e_.host.zen5 || s_.task_dims().empty()) return;
  const auto is_first = [&](const Instr& at) {
    const auto loads_it = [&](int number) {
      return s_.instr(number).kind == InstrKind::load && s_.instr(number).buffer == at.buffer;
    };
    const Plan* first = s_.plans().data();
    return std::none_of(first, &plan, [&](const Plan& before) {
      return std::ranges::any_of(before.phase->instrs, loads_it);
    });
  };
  const auto next_task = static_cast<size_t>(s_.task_dims().back());
  for (const int number : plan.phase->instrs) {
    const Instr& at = s_.instr(number);
    if (!s_.reads_vectors(at) || !is_first(at)) continue;
    if (at.address.terms[next_task].stride != Stride::dynamic) continue;
    llvm::Value* row_end = address_of(at, number, copies_ - 1);
    e_.prefetch(e_.b.CreateGEP(e_.storage_type(at.dtype), row_end, distance_ahead(at)));
  }
}

/// The elements that rows have in their last vector.
llvm::Value* KernelEmitter::mask_of_row_end() {
  if (row_mask_ != nullptr) return row_mask_;
  auto& b = e_.b;
  llvm::Value* length = extent_of(kernel_.vector_dim);
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  const int64_t before = kernel_.row_bound - e_.lanes;
  row_mask_ = lane_mask(b.CreateSub(length, b.getInt64(static_cast<uint64_t>(before))));
  return row_mask_;
}

/// Of a vector that a row may not fill: it ends where the row does, if not before.
RowEnd KernelEmitter::place_of_row_end(int vector) {
  RowEnd& end = ends_of_row_[vector];
  if (end.position == nullptr) {
    auto& b = e_.b;
    llvm::Value* length = extent_of(kernel_.vector_dim);
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_->getTerminator());
    llvm::Value* lanes = b.getInt64(static_cast<uint64_t>(e_.lanes));
    llvm::Value* begin = b.getInt64(static_cast<uint64_t>(int64_t{vector} * e_.lanes));
    end.position =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, b.CreateSub(length, lanes));
    llvm::Value* known = b.CreateTrunc(b.CreateSub(begin, end.position), b.getInt32Ty());
    end.mask = b.CreateICmpSGE(e_.iota(b.getInt32Ty()), e_.splat(known));
  }
  return end;
}

}  // namespace wick::codegen::llvm_jit
