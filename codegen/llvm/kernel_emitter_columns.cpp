// Reductions of columns row by row, as memory has them: strips that fit registers would jump from
// page to page. Accumulators of many columns stay in memory of the function, near enough to be
// loaded and stored again for each row.

#include <algorithm>
#include <bit>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

namespace {

/// Accumulators of so many columns in all fit a core's nearest caches and the stacks of small
/// threads.
constexpr int64_t kAccumulators = 8192;
constexpr int64_t kMostReductions = 8;
constexpr llvm::Align kColumnAlign = llvm::Align::Constant<128>();  // of the widest vector

}  // namespace

/// One loop, behind nothing but values: those that columns decide are computed again for each row.
bool KernelEmitter::can_keep_columns_in_memory() const {
  if (inner_dims_.empty() || kernel_.vector_is_inner() || kernel_.short_vector) return false;
  if (!staged_.accesses.empty()) return false;
  const std::vector<Phase>& phases = kernel_.phases;
  if (std::ranges::count(phases, true, &Phase::loop) != 1) return false;
  const auto stores = [&](int number) { return instr(number).kind == InstrKind::store; };
  if (!phases[0].loop && std::ranges::any_of(phases[0].instrs, stores)) return false;
  const auto is_of_bits = [&](const Instr& at) {
    return at.kind == InstrKind::accumulate && reduction_of(at).dtype == DType::bool_;
  };
  const int64_t count = std::ranges::count(kernel_.instrs, InstrKind::accumulate, &Instr::kind);
  return count <= kMostReductions && std::ranges::none_of(kernel_.instrs, is_of_bits);
}

const KernelEmitter::Plan& KernelEmitter::loop_plan() const {
  return *std::ranges::find_if(plans_, [](const Plan& plan) { return plan.phase->loop; });
}

/// Columns that are walked together: the fewer accumulators each has, the more of a row.
int64_t KernelEmitter::columns_at_once() const {
  const size_t count = loop_plan().accumulates.size();
  return kAccumulators / static_cast<int64_t>(std::bit_ceil(std::max<size_t>(count, 1)));
}

/// The body of the loop over tasks.
void KernelEmitter::emit_columns(Range columns) {
  auto& b = e_.b;
  const Plan& plan = loop_plan();
  make_columns();
  if (!plans_[0].phase->loop) emit_level(plans_[0], kTaskLevel, kTaskLevel);
  loop(columns.begin, columns.end, columns_at_once(), [&](llvm::Value* first) {
    llvm::Value* after = b.CreateAdd(first, b.getInt64(static_cast<uint64_t>(columns_at_once())));
    chunk_ = {first, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, after, columns.end)};
    start_columns();
    emit_level(plan, kTaskLevel, kTaskLevel);
    emit_inner(plan, 0);
    emit_vector_loops(chunk_.begin, chunk_.end, {}, [&] { finish_columns(); });
  });
}

void KernelEmitter::make_columns() {
  const llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
  e_.b.SetInsertPoint(entry_->getTerminator());
  const auto add = [&](llvm::Value* start) {
    auto* many = llvm::ArrayType::get(start->getType()->getScalarType(),
                                      static_cast<uint64_t>(columns_at_once()));
    auto* memory = e_.b.CreateAlloca(many);
    memory->setAlignment(kColumnAlign);
    columns_.push_back({memory, start});
  };
  for (const int number : loop_plan().accumulates) {
    const Reduction reduction = reduction_of(instr(number));
    const Partial start = reduction_start(e_, reduction);
    add(start.value);
    if (reduction.tracks_position()) add(start.position);
  }
}

void KernelEmitter::start_columns() {
  loop(chunk_.begin, chunk_.end, e_.lanes, [&](llvm::Value* position) {
    for (const Column& column : columns_)
      e_.b.CreateStore(column.start, column_place(column, position, 0));
  });
}

llvm::Value* KernelEmitter::column_place(const Column& column, llvm::Value* position, int copy) {
  auto& b = e_.b;
  llvm::Value* index = b.CreateSub(position, chunk_.begin);
  index = b.CreateAdd(index, b.getInt64(static_cast<uint64_t>(copy_distance(copy))));
  return b.CreateInBoundsGEP(column.start->getType()->getScalarType(), column.memory, index);
}

/// The accumulators of the columns that the body works on.
void KernelEmitter::load_columns() {
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  accumulators_.clear();
  accumulator_at_.clear();
  const Column* column = columns_.data();
  for (const int number : loop_plan().accumulates) {
    const int width = reduction_of(instr(number)).tracks_position() ? 2 : 1;
    accumulator_at_[number] = static_cast<int>(accumulators_.size());
    for (int copy = 0; copy < copies_; ++copy) {
      for (int i = 0; i < width; ++i) {
        llvm::Value* place = column_place(column[i], position, copy);
        accumulators_.push_back(e_.b.CreateLoad(column[i].start->getType(), place));
      }
    }
    column += width;
  }
}

/// In the order in which they were loaded.
void KernelEmitter::store_columns() {
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  const Column* column = columns_.data();
  auto value = accumulators_.begin();
  for (const int number : loop_plan().accumulates) {
    const int width = reduction_of(instr(number)).tracks_position() ? 2 : 1;
    for (int copy = 0; copy < copies_; ++copy) {
      for (int i = 0; i < width; ++i, ++value) {
        llvm::Value* place = column_place(column[i], position, copy);
        e_.b.CreateStore(*value, place);
      }
    }
    column += width;
  }
  accumulators_.clear();
}

/// Of the straight code in front of the loop, what columns decide.
void KernelEmitter::emit_values_of_columns() {
  if (!plans_[0].phase->loop) emit_level(plans_[0], kVectorLevel, innermost_level());
}

/// Rows that add to an accumulator between its load and its store: where a row is as large as the
/// nearest cache, accumulators come from the second one, and delay what comes from memory. Each row
/// is a stream of memory for each of its loads: twelve gain, sixteen take 1.1 times as long.
int KernelEmitter::rows_at_once() const {
  constexpr int kMostStreams = 12;
  constexpr int kMaxInstructions = 300;
  const int rows = 4 * loads_of_row(bit(inner_dims_.back())) <= kMostStreams ? 4 : 2;
  return rows * unroll_ * work_of(loop_plan()) <= kMaxInstructions ? rows : 1;
}

/// The loop over the last inner dimension, with the vector loop inside. Rows that are walked at
/// once are far apart: pieces of four neighbors in turn are no order in which the machine
/// prefetches.
void KernelEmitter::emit_rows_of_columns() {
  auto& b = e_.b;
  const auto [begin, end] = inner_range(inner_dims_.back());
  const int rows = rows_at_once();
  llvm::Value* rest_begin = begin;
  if (rows > 1) {
    llvm::Value* count =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(end, begin), b.getInt64(0));
    row_distance_ = b.CreateSDiv(count, b.getInt64(static_cast<uint64_t>(rows)));
    loop(begin, b.CreateAdd(begin, row_distance_), 1, [&](llvm::Value* row) {
      emit_columns_of_rows(row, rows);
    });
    rest_begin = b.CreateAdd(begin, distance_of_row(rows));
  }
  loop(rest_begin, end, 1, [&](llvm::Value* row) { emit_columns_of_rows(row, 1); });
}

void KernelEmitter::emit_columns_of_rows(llvm::Value* first, int count) {
  const Plan& plan = loop_plan();
  const int row_dim = inner_dims_.back();
  const auto vector_dim = static_cast<size_t>(kernel_.vector_dim);
  const Scope before = save_scope();
  std::vector<Scope> rows;
  for (int row = 0; row < count; ++row) {
    restore_scope(before);
    positions_[static_cast<size_t>(row_dim)] = e_.b.CreateAdd(first, distance_of_row(row));
    enter_dims({row_dim}, &plan);
    emit_level(plan, innermost_level() - 1, innermost_level() - 1);
    rows.push_back(save_scope());
  }
  emit_vector_loops(chunk_.begin, chunk_.end, {}, [&] {
    llvm::Value* position = positions_[vector_dim];
    std::vector<Slot> values_of_columns;
    load_columns();
    for (const Scope& row : rows) {
      restore_scope(row);
      positions_[vector_dim] = position;
      if (!values_of_columns.empty()) share_values_of_columns(values_of_columns);
      enter_dims({kernel_.vector_dim}, nullptr);
      emit_values_of_columns();
      if (count == 1) emit_prefetches_of_next_rows();
      emit_level(plan, innermost_level(), innermost_level());
      values_of_columns = slots_;
    }
    store_columns();
  });
}

/// What another row of the body computed from the columns alone.
void KernelEmitter::share_values_of_columns(llvm::ArrayRef<Slot> known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if ((deps_[i] & inner_dims_mask()) == 0) slots_[i] = known[i];
  }
}

/// What follows the loop phase, which may use what that computed for each column alone.
void KernelEmitter::finish_columns() {
  const Plan& plan = loop_plan();
  enter_dims({kernel_.vector_dim}, nullptr);
  emit_values_of_columns();
  load_columns();
  finish_accumulators(plan);
  accumulators_.clear();
  for (size_t i = 0; i < plan.levels.size(); ++i) {
    const int number = plan.phase->instrs[i];
    const bool is_of_column = (deps_[static_cast<size_t>(number)] & inner_dims_mask()) == 0;
    if (plan.levels[i] == innermost_level() && is_of_column && !is_pinned(instr(number)))
      emit_instr(number);
  }
  if (!plans_.back().phase->loop) emit_level(plans_.back(), kTaskLevel, innermost_level());
}

}  // namespace wick::codegen::llvm_jit
