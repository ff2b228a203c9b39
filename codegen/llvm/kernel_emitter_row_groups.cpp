// Rows that share vectors are reduced several at a time: what they have in common is read and
// computed once for all of them. Rows here are positions of the last task dimension.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// By neighboring rows.
bool KernelEmitter::are_shared(uint64_t deps) const {
  return (deps & bit(task_dims_.back())) == 0;
}

bool KernelEmitter::is_stored_and_read(int buffer) const {
  return kernel_.buffers[static_cast<size_t>(buffer)].written &&
         std::ranges::any_of(kernel_.instrs, [&](const Instr& at) {
           return at.kind == InstrKind::load && at.buffer == buffer;
         });
}

bool KernelEmitter::reads_what_it_stores() const {
  return std::ranges::any_of(kernel_.instrs, [&](const Instr& at) {
    return at.kind == InstrKind::store && is_stored_and_read(at.buffer);
  });
}

/// Rows take turns at each position of each loop, so what they write may be read in the same loop
/// alone, at the same place and before: partial results of columns. Any other load of a row would
/// come before the stores of the one before. What looks the same for all rows is loaded once.
bool KernelEmitter::is_read_in_turn(int buffer) const {
  const Instr* first = nullptr;
  const Phase* where = nullptr;
  bool is_stored = false;
  for (const Phase& phase : kernel_.phases) {
    for (const int number : phase.instrs) {
      const Instr& at = instr(number);
      if (at.buffer != buffer) continue;
      if (at.kind == InstrKind::load && are_shared(deps_[static_cast<size_t>(number)]))
        return false;
      if (first == nullptr) {
        first = &at;
        where = &phase;
      }
      const bool is_same = at.address == first->address &&
                           at.dynamic_index == first->dynamic_index &&
                           at.dynamic_stride_param == first->dynamic_stride_param;
      if (!phase.loop || &phase != where || !is_same || is_stored) return false;
      is_stored = at.kind == InstrKind::store;
    }
  }
  return true;
}

/// Kernels of reduction loops.
bool KernelEmitter::rows_share_vectors() const {
  if (!kernel_.vector_is_inner() || task_dims_.empty() || kernel_.blocking) return false;
  const auto num_loops = std::ranges::count(kernel_.phases, true, &Phase::loop);
  if (num_loops > 1 && inner_dims_.size() > 1) return false;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const BufferArg& buffer = kernel_.buffers[i];
    if (!buffer.no_alias || buffer.own_elements > 0) return false;
    const int number = static_cast<int>(i);
    if (is_stored_and_read(number) && !is_read_in_turn(number)) return false;
  }
  bool shares = false;
  bool accumulates = false;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind == InstrKind::accumulate && !are_shared(deps_[i])) accumulates = true;
    if (at.kind == InstrKind::load && varies(static_cast<int>(i)) && are_shared(deps_[i])) {
      shares = true;
    }
  }
  return shares && accumulates;
}

/// By one loop that stores nothing.
bool KernelEmitter::rows_are_read_once() const {
  if (std::ranges::count(kernel_.phases, true, &Phase::loop) != 1) return false;
  return std::ranges::none_of(loop_plan().phase->instrs,
                              [&](int number) { return instr(number).kind == InstrKind::store; });
}

/// As many as leave each row two accumulators: a chain of additions waits for itself. Of rows that
/// several loops walk or that are stored, four together are too many streams: the gradient of a
/// layer norm took 1.1 to 1.3 times as long as one by one. Where a row adds to what the one before
/// has just stored, between stores past the caches of which a line takes two, it waits for these:
/// 2.5 to 3.5 times as long (Zen 3).
void KernelEmitter::choose_rows_together() {
  if (!rows_share_vectors() || (!e_.host.avx512 && reads_what_it_stores())) return;
  rows_together_ = rows_are_read_once() ? 4 : 2;
  const auto has_few_copies = [&](const Plan& plan) {
    return plan.phase->loop && choose_copies(plan) < 2;
  };
  while (rows_together_ > 1 && std::ranges::any_of(plans_, has_few_copies))
    rows_together_ /= 2;
}

/// What the loads touch that are the same for all rows, or what those of all rows touch.
llvm::Value* KernelEmitter::bytes_of_rows(bool shared) {
  auto& b = e_.b;
  const uint64_t dims = inner_dims_mask() | bit(task_dims_.back());
  llvm::Value* all = b.getInt64(0);
  llvm::SmallVector<int, 8> counted;  // loops may read the same
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::load || are_shared(deps_[i]) != shared) continue;
    if (llvm::is_contained(counted, access_of_[i])) continue;
    counted.push_back(access_of_[i]);
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
/// take 1.7 times as long. Rows of several loops are in that cache too, and may stay there if they
/// are short.
llvm::Value* KernelEmitter::pays_to_group() {
  auto& b = e_.b;
  const auto shares_more_than = [&](int64_t bytes) {
    return b.CreateICmpSGT(bytes_of_rows(true), b.getInt64(bytes));
  };
  if (rows_are_read_once()) {
    constexpr int64_t kOwnShare = 8;
    llvm::Value* near_rows =
        b.CreateICmpSLE(bytes_of_rows(false), b.getInt64(e_.host.cache_bytes / kOwnShare));
    return b.CreateOr(shares_more_than(16384), near_rows);
  }
  llvm::Value* pays = shares_more_than(6144);
  // What goes past the caches has to begin at the same place of a line in each row.
  for (const Plan& plan : plans_) {
    for (const int number : streams_of(plan)) {
      const Affine::Term& row = instr(number).address.terms[static_cast<size_t>(task_dims_.back())];
      if (row.stride != Stride::dynamic) continue;
      llvm::Value* bytes = b.CreateMul(param(row.param), b.getInt64(size_of(instr(number).dtype)));
      llvm::Value* within_line = b.CreateAnd(bytes, b.getInt64(kCacheLine.value() - 1));
      pays = b.CreateAnd(pays, b.CreateICmpEQ(within_line, b.getInt64(0)));
    }
  }
  return pays;
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
