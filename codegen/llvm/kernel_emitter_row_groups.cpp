// Rows that share vectors are reduced several at a time: what they have in common is read and
// computed once for all of them. Rows here are positions of the last task dimension.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// By neighboring rows.
bool KernelEmitter::are_shared(uint64_t deps) const {
  return (deps & bit(task_dims_.back())) == 0;
}

/// Kernels of one reduction loop that stores nothing: what goes past the caches begins at another
/// place of a line in each row. Nothing that they write may be read: the loads of a row come before
/// the stores of the one before.
bool KernelEmitter::rows_share_vectors() const {
  if (!kernel_.vector_is_inner() || task_dims_.empty() || kernel_.blocking) return false;
  if (std::ranges::count(kernel_.phases, true, &Phase::loop) != 1) return false;
  const auto is_apart = [](const BufferArg& buffer) {
    return buffer.no_alias && buffer.own_elements == 0;
  };
  if (!std::ranges::all_of(kernel_.buffers, is_apart)) return false;
  const auto stores = [&](int number) { return instr(number).kind == InstrKind::store; };
  if (std::ranges::any_of(loop_plan().phase->instrs, stores)) return false;
  bool shares = false;
  bool accumulates = false;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind == InstrKind::accumulate && !are_shared(deps_[i])) accumulates = true;
    if (at.kind != InstrKind::load) continue;
    if (kernel_.buffers[static_cast<size_t>(at.buffer)].written) return false;
    if (varies(static_cast<int>(i)) && are_shared(deps_[i])) shares = true;
  }
  return shares && accumulates;
}

/// As many as leave each row two accumulators: a chain of additions waits for itself.
void KernelEmitter::choose_rows_together() {
  constexpr int kMostRows = 4;
  if (!rows_share_vectors()) return;
  rows_together_ = kMostRows;
  while (rows_together_ > 1 && choose_copies(loop_plan()) < 2)
    rows_together_ /= 2;
}

/// What the loads touch that are the same for all rows, or what those of all rows touch.
llvm::Value* KernelEmitter::bytes_of_rows(bool shared) {
  auto& b = e_.b;
  const uint64_t dims = inner_dims_mask() | bit(task_dims_.back());
  llvm::Value* all = b.getInt64(0);
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::load || are_shared(deps_[i]) != shared) continue;
    llvm::Value* bytes = b.getInt64(size_of(at.dtype));
    for (size_t d = 0; d < kernel_.dims.size(); ++d) {
      if ((deps_[i] & dims & bit(static_cast<int>(d))) == 0) continue;
      bytes = b.CreateMul(bytes, param(kernel_.dims[d].extent_param));
    }
    all = b.CreateAdd(all, bytes);
  }
  return all;
}

/// Where the shared vectors leave the nearest cache no room, or all rows stay near the core. Else
/// one row at a time is what the machine prefetches best: of rows of 4 KiB in memory, four together
/// take 1.7 times as long.
llvm::Value* KernelEmitter::pays_to_group() {
  constexpr int64_t kLongRow = 16384;
  constexpr int64_t kOwnShare = 8;
  auto& b = e_.b;
  llvm::Value* long_rows = b.CreateICmpSGT(bytes_of_rows(true), b.getInt64(kLongRow));
  llvm::Value* near_rows =
      b.CreateICmpSLE(bytes_of_rows(false), b.getInt64(e_.host.cache_bytes / kOwnShare));
  return b.CreateOr(long_rows, near_rows);
}

/// The rows that follow each other in each position of the other task dimensions.
void KernelEmitter::emit_groups_of_rows(Range tasks) {
  auto& b = e_.b;
  const llvm::ArrayRef<int> other_dims = llvm::ArrayRef<int>(task_dims_).drop_back();
  llvm::Value* pays = pays_to_group();
  for_each_line(tasks, [&](const std::vector<llvm::Value*>& starts, Range rows) {
    for (size_t i = 0; i < starts.size(); ++i)
      positions_[static_cast<size_t>(other_dims[i])] = starts[i];
    enter_dims(other_dims, nullptr);
    llvm::Value* rest = b.CreateURem(b.CreateSub(rows.end, rows.begin),
                                     b.getInt64(static_cast<uint64_t>(rows_together_)));
    llvm::Value* groups_end = b.CreateSelect(pays, b.CreateSub(rows.end, rest), rows.begin);
    loop(rows.begin, groups_end, rows_together_, [&](llvm::Value* row) {
      emit_rows(row, rows_together_);
    });
    loop(groups_end, rows.end, 1, [&](llvm::Value* row) { emit_rows(row, 1); });
  });
}

void KernelEmitter::emit_rows(llvm::Value* first, int count) {
  const int row_dim = task_dims_.back();
  const Scope before = save_scope();
  copies_ = 1;
  for (int row = 0; row < count; ++row) {
    restore_scope(before);
    positions_[static_cast<size_t>(row_dim)] =
        e_.b.CreateAdd(first, e_.b.getInt64(static_cast<uint64_t>(row)));
    enter_dims({row_dim}, nullptr);
    if (count > 1) rows_.push_back(save_scope());
  }
  emit_phases();
  rows_.clear();
}

/// Each row knows what the first one computed for all of them.
void KernelEmitter::for_each_row(const std::function<void()>& body) {
  if (rows_.empty()) return body();
  for (row_ = 0; row_ < rows_.size(); ++row_) {
    restore_scope(rows_[row_]);
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (are_shared(deps_[i])) slots_[i] = rows_[0].slots[i];
    }
    body();
    rows_[row_] = save_scope();
  }
  row_ = 0;
}

}  // namespace wick::codegen::llvm_jit
