// Rows that share vectors are reduced several at a time: what they have in common is read and
// computed once for all of them. So are rows that are only read, since memory brings several
// streams faster than one, and rows in registers, of which one computes while another waits. Rows
// here are positions of the last task dimension, which may be blocks of a single one.

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// What the loads touch in a row that are the same for all rows.
llvm::Value* KernelEmitter::bytes_that_rows_share() {
  auto& b = e_.b;
  llvm::Value* all = b.getInt64(0);
  llvm::SmallVector<int, 8> counted;  // loops may read the same
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::load || !s_.are_shared(static_cast<int>(i))) continue;
    if (llvm::is_contained(counted, access_of_[i])) continue;
    counted.push_back(access_of_[i]);
    llvm::Value* bytes = b.getInt64(size_of(at.dtype));
    for (const int d : s_.inner_dims()) {
      if (s_.depends_on(static_cast<int>(i), d)) bytes = b.CreateMul(bytes, extent_of(d));
    }
    all = b.CreateAdd(all, bytes);
  }
  return all;
}

/// Rows that are read once always do, but for those that only wait for memory and come from a
/// cache. Of several loops, they are in the nearest cache, and may stay there if they are short:
/// where what they share leaves it little room.
llvm::Value* KernelEmitter::pays_to_group() {
  auto& b = e_.b;
  if (s_.rows_are_read_once()) return s_.rows_share_vectors() ? b.getTrue() : exceeds_caches();
  constexpr int64_t kLittleRoom = 6144;
  llvm::Value* pays = b.CreateICmpSGT(bytes_that_rows_share(), b.getInt64(kLittleRoom));
  // What goes past the caches has to begin at the same place of a line in each row.
  for (const Plan& plan : s_.plans()) {
    for (const int number : s_.streams_of(plan)) {
      const Instr& at = s_.instr(number);
      const auto row_dim = static_cast<size_t>(s_.task_dims().back());
      if (at.address.terms[row_dim].stride != Stride::dynamic) continue;
      pays = b.CreateAnd(pays, b.CreateNot(rows_begin_within_lines(at)));
    }
  }
  return pays;
}

/// Those that are as long as the others: the last block may not be.
llvm::Value* KernelEmitter::end_of_equal_rows(llvm::Value* end) {
  if (!s_.rows_are_blocks()) return end;
  auto& b = e_.b;
  llvm::Value* extent = extent_of(kernel_.blocking->inner);
  llvm::Value* whole_blocks = b.CreateSDiv(extent, param(kernel_.blocking->size_param));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, whole_blocks);
}

/// Of the row being emitted in an inner dimension, where the first one is at `first`.
llvm::Value* KernelEmitter::position_in_row(int dim, llvm::Value* first) {
  if (row_ == 0 || !s_.rows_are_blocks() || kernel_.blocking->inner != dim) return first;
  auto& b = e_.b;
  llvm::Value* size = param(kernel_.blocking->size_param);
  return b.CreateAdd(first, b.CreateMul(distance_of_row(static_cast<int>(row_)), size));
}

/// Of the rows in each position of the other task dimensions, those that are read once are taken as
/// far apart as can be, so that each is the middle of a long stream: of neighbors of 4 KiB, memory
/// brings four together no faster than one (Zen 5), or 1.7 times as slowly (Zen 4). Rows that are
/// stored are neighbors: far apart, the gradient of a layer norm takes 1.1 times as long.
void KernelEmitter::emit_groups_of_rows(Range tasks) {
  auto& b = e_.b;
  llvm::Value* pays = pays_to_group();
  for_each_line_of_rows(tasks, [&](Range rows) {
    llvm::Value* together = b.getInt64(static_cast<uint64_t>(s_.rows_together()));
    llvm::Value* count = b.CreateSub(end_of_equal_rows(rows.end), rows.begin);
    llvm::Value* groups = b.CreateSelect(pays, b.CreateSDiv(count, together), b.getInt64(0));
    llvm::Value* groups_end = b.CreateAdd(rows.begin, b.CreateMul(groups, together));
    const bool is_far = s_.rows_are_read_once();
    row_distance_ = is_far ? groups : b.getInt64(1);
    loop(rows.begin,
         is_far ? b.CreateAdd(rows.begin, groups) : groups_end,
         is_far ? 1 : s_.rows_together(),
         [&](llvm::Value* row) { emit_rows(row, s_.rows_together()); });
    loop(groups_end, rows.end, 1, [&](llvm::Value* row) { emit_rows(row, 1); });
  });
}

/// In the caches as many as the machine computes fastest. From memory fewer: it prefetches along
/// loads that go on all the time, and rests while a large group computes.
void KernelEmitter::emit_groups_of_rows_in_registers(Range tasks) {
  auto& b = e_.b;
  const int near = s_.rows_together();
  const int far = s_.rows_together_from_memory();
  row_distance_ = b.getInt64(1);
  for_each_line_of_rows(tasks, [&](Range rows) {
    llvm::Value* near_end = end_of_whole_steps(rows, near);
    if (far < near) near_end = b.CreateSelect(exceeds_caches(), rows.begin, near_end);
    loop(rows.begin, near_end, near, [&](llvm::Value* row) { emit_rows(row, near); });
    if (far > 1 && far < near) {
      llvm::Value* far_end = end_of_whole_steps({near_end, rows.end}, far);
      loop(near_end, far_end, far, [&](llvm::Value* row) { emit_rows(row, far); });
      near_end = far_end;
    }
    loop(near_end, rows.end, 1, [&](llvm::Value* row) { emit_rows(row, 1); });
  });
}

/// The rows in each position of the other task dimensions.
void KernelEmitter::for_each_line_of_rows(Range tasks, const std::function<void(Range)>& body) {
  const llvm::ArrayRef<int> other_dims = s_.task_dims().drop_back();
  for_each_line(tasks, [&](const std::vector<llvm::Value*>& starts, Range rows) {
    for (size_t i = 0; i < starts.size(); ++i)
      positions_[static_cast<size_t>(other_dims[i])] = starts[i];
    enter_dims(other_dims, nullptr);
    body(rows);
  });
}

void KernelEmitter::emit_rows(llvm::Value* first, int count) {
  const int row_dim = s_.task_dims().back();
  const Scope before = save_scope();
  copies_ = 1;
  for (int row = 0; row < count; ++row) {
    restore_scope(before);
    positions_[static_cast<size_t>(row_dim)] = e_.b.CreateAdd(first, distance_of_row(row));
    enter_dims({row_dim}, nullptr);
    if (count > 1) rows_.push_back(save_scope());
  }
  emit_phases();
  rows_.clear();
}

/// Between this one of the rows that are walked at once and the first.
llvm::Value* KernelEmitter::distance_of_row(int row) {
  if (row == 0) return e_.b.getInt64(0);
  return e_.b.CreateMul(row_distance_, e_.b.getInt64(static_cast<uint64_t>(row)));
}

/// Each row knows what the first one computed for all of them.
void KernelEmitter::for_each_row(const std::function<void()>& body) {
  if (rows_.empty()) return body();
  for (row_ = 0; row_ < rows_.size(); ++row_) {
    restore_scope(rows_[row_]);
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (s_.are_shared(static_cast<int>(i))) slots_[i] = rows_[0].slots[i];
    }
    body();
    rows_[row_] = save_scope();
  }
  row_ = 0;
}

}  // namespace wick::codegen::llvm_jit
