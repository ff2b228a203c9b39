// Rows that share vectors are reduced several at a time: what they have in common is read and
// computed once for all of them. So are rows that are only read, since memory brings several
// streams faster than one. Rows here are positions of the last task dimension, which may be blocks
// of a single one.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// By neighboring rows.
bool KernelEmitter::are_shared(uint64_t deps) const {
  return (deps & dims_of_rows()) == 0;
}

/// Which tell one row from another.
uint64_t KernelEmitter::dims_of_rows() const {
  const uint64_t row = bit(task_dims_.back());
  return rows_are_blocks() ? row | bit(kernel_.blocking->inner) : row;
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
bool KernelEmitter::rows_may_take_turns() const {
  if (!kernel_.vector_is_inner() || task_dims_.empty()) return false;
  const auto num_loops = std::ranges::count(kernel_.phases, true, &Phase::loop);
  if (num_loops > 1 && inner_dims_.size() > 1) return false;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const BufferArg& buffer = kernel_.buffers[i];
    if (!buffer.no_alias || buffer.own_elements > 0) return false;
    const int number = static_cast<int>(i);
    if (is_stored_and_read(number) && !is_read_in_turn(number)) return false;
  }
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    if (kernel_.instrs[i].kind == InstrKind::accumulate && !are_shared(deps_[i])) return true;
  }
  return false;
}

/// Of rows that are whole: blocks of them take turns as plain rows do, if at all.
bool KernelEmitter::rows_share_vectors() const {
  if (kernel_.blocking) return false;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    if (kernel_.instrs[i].kind == InstrKind::load && varies(static_cast<int>(i)) &&
        are_shared(deps_[i])) {
      return true;
    }
  }
  return false;
}

/// Loads of vectors that are other ones in each row.
int KernelEmitter::loads_of_row(uint64_t row_dims) const {
  int loads = 0;
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const bool is_own = varies(static_cast<int>(i)) && (deps_[i] & row_dims) != 0;
    if (kernel_.instrs[i].kind == InstrKind::load && is_own) ++loads;
  }
  return loads;
}

/// Rows of one vector each that is read as it lies in memory, with little to compute. Those of two
/// are two streams as they are, and arithmetic gains nothing: sums of exp(x) take 1.06 times as
/// long. Blocks of two long rows are read in less by Zen 5: the product of two vectors of 3 M in
/// 0.7 of the time.
bool KernelEmitter::rows_wait_for_memory() const {
  constexpr int kLittleWork = 8;
  const int most_loads = e_.host.zen5 && rows_are_blocks() ? 2 : 1;
  const int loads = loads_of_row(dims_of_rows());
  if (loads == 0 || loads > most_loads || work_of(*loop_plan().phase) > kLittleWork) return false;
  return std::ranges::all_of(loop_plan().phase->instrs, [&](int number) {
    const Instr& at = instr(number);
    if (at.kind != InstrKind::load || !varies(number)) return true;
    return at.predicate < 0 && at.dynamic_index < 0 && vector_term(at).stride == Stride::one;
  });
}

/// As memory brings them fastest. Zen 4 has one stream as fast as four, and two sooner by a
/// twentieth, which is less than what a second chain of maxima costs; argmax also waits for itself.
int KernelEmitter::rows_of_memory() const {
  const auto& accumulates = loop_plan().accumulates;
  const auto waits_for_itself = [&](int number) { return reduction_of(number).tracks_position(); };
  const auto is_sum = [&](int number) { return instr(number).op == ir::OpKind::reduce_sum; };
  if (!rows_wait_for_memory()) return 1;
  if (!e_.host.zen || e_.host.zen5 || std::ranges::any_of(accumulates, waits_for_itself)) return 4;
  return std::ranges::all_of(accumulates, is_sum) ? 2 : 1;
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
  if (!rows_may_take_turns() || (!e_.host.avx512 && reads_what_it_stores())) return;
  if (rows_are_read_once()) {
    rows_together_ = rows_share_vectors() ? 4 : rows_of_memory();
  } else if (rows_share_vectors()) {
    rows_together_ = 2;
  }
  const auto has_few_copies = [&](const Plan& plan) {
    return plan.phase->loop && choose_copies(plan) < 2;
  };
  while (rows_together_ > 1 && std::ranges::any_of(plans_, has_few_copies))
    rows_together_ /= 2;
}

/// What the loads touch in a row that are the same for all rows.
llvm::Value* KernelEmitter::bytes_that_rows_share() {
  auto& b = e_.b;
  llvm::Value* all = b.getInt64(0);
  llvm::SmallVector<int, 8> counted;  // loops may read the same
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind != InstrKind::load || !are_shared(deps_[i])) continue;
    if (llvm::is_contained(counted, access_of_[i])) continue;
    counted.push_back(access_of_[i]);
    llvm::Value* bytes = b.getInt64(size_of(at.dtype));
    for (const int d : inner_dims_) {
      if ((deps_[i] & bit(d)) != 0) bytes = b.CreateMul(bytes, extent_of(d));
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
  if (rows_are_read_once()) return rows_share_vectors() ? b.getTrue() : exceeds_caches();
  constexpr int64_t kLittleRoom = 6144;
  llvm::Value* pays = b.CreateICmpSGT(bytes_that_rows_share(), b.getInt64(kLittleRoom));
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

bool KernelEmitter::rows_are_blocks() const {
  return kernel_.blocking && kernel_.blocking->outer == task_dims_.back();
}

/// Those that are as long as the others: the last block may not be.
llvm::Value* KernelEmitter::end_of_equal_rows(llvm::Value* end) {
  if (!rows_are_blocks()) return end;
  auto& b = e_.b;
  llvm::Value* extent = extent_of(kernel_.blocking->inner);
  llvm::Value* whole_blocks = b.CreateSDiv(extent, param(kernel_.blocking->size_param));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, whole_blocks);
}

/// Of the row being emitted in an inner dimension, where the first one is at `first`.
llvm::Value* KernelEmitter::position_in_row(int dim, llvm::Value* first) {
  if (row_ == 0 || !rows_are_blocks() || kernel_.blocking->inner != dim) return first;
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
  const llvm::ArrayRef<int> other_dims = llvm::ArrayRef<int>(task_dims_).drop_back();
  llvm::Value* pays = pays_to_group();
  for_each_line(tasks, [&](const std::vector<llvm::Value*>& starts, Range rows) {
    for (size_t i = 0; i < starts.size(); ++i)
      positions_[static_cast<size_t>(other_dims[i])] = starts[i];
    enter_dims(other_dims, nullptr);
    llvm::Value* together = b.getInt64(static_cast<uint64_t>(rows_together_));
    llvm::Value* count = b.CreateSub(end_of_equal_rows(rows.end), rows.begin);
    llvm::Value* groups = b.CreateSelect(pays, b.CreateSDiv(count, together), b.getInt64(0));
    llvm::Value* groups_end = b.CreateAdd(rows.begin, b.CreateMul(groups, together));
    const bool is_far = rows_are_read_once();
    row_distance_ = is_far ? groups : b.getInt64(1);
    loop(rows.begin,
         is_far ? b.CreateAdd(rows.begin, groups) : groups_end,
         is_far ? 1 : rows_together_,
         [&](llvm::Value* row) { emit_rows(row, rows_together_); });
    loop(groups_end, rows.end, 1, [&](llvm::Value* row) { emit_rows(row, 1); });
  });
}

void KernelEmitter::emit_rows(llvm::Value* first, int count) {
  const int row_dim = task_dims_.back();
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
      if (are_shared(deps_[i])) slots_[i] = rows_[0].slots[i];
    }
    body();
    rows_[row_] = save_scope();
  }
  row_ = 0;
}

}  // namespace wick::codegen::llvm_jit
