// Reductions of columns row by row, as memory has them: strips that fit registers would jump from
// page to page. Accumulators of many columns stay in memory of the function, near enough to be
// loaded and stored again for each row.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/codegen/row_scratch.h"

namespace wick::codegen::llvm_jit {

namespace {

/// So many values of columns in all fit a core's nearest caches and the stacks of small threads.
/// Several loops would rather walk whole rows with what they keep in the second cache.
constexpr int64_t kColumnValues = 8192;
constexpr int64_t kColumnValuesOfLoops = 32768;
constexpr int64_t kMostReductions = 8;
/// Columns are taken in multiples of what a body takes at most, and in pieces of rows that are long
/// enough for memory.
constexpr int64_t kWholeColumns = 64;
constexpr int64_t kLeastPiece = 256;
constexpr llvm::Align kAnywhere = llvm::Align::Constant<1>();

bool is_in(const Phase& phase, int number) {
  return std::ranges::find(phase.instrs, number) != phase.instrs.end();
}

}  // namespace

/// Of long rows in memory that many columns share. What rows leave in memory of the kernel's own
/// has to have room for pieces of rows that are worth it.
bool KernelEmitter::can_keep_columns_in_memory() const {
  if (inner_dims_.empty() || kernel_.vector_is_inner() || kernel_.short_vector) return false;
  if (kernel_.has_short_rows() || !staged_.accesses.empty()) return false;
  if (has_few_columns()) return false;
  const int64_t count = std::ranges::count(kernel_.instrs, InstrKind::accumulate, &Instr::kind);
  return count <= kMostReductions && own_elements_of_column() * kLeastPiece <= kMostOwnElements;
}

int64_t KernelEmitter::own_elements_of_column() const {
  int64_t elements = 0;
  for (const BufferArg& buffer : kernel_.buffers)
    elements += buffer.own_elements;
  return elements;
}

const Plan& KernelEmitter::loop_plan() const {
  return *std::ranges::find_if(plans_, [](const Plan& plan) { return plan.phase->loop; });
}

/// A value of each column, as opposed to one of all or one of each row.
bool KernelEmitter::is_of_column(int number) const {
  return varies(number) && (deps_[static_cast<size_t>(number)] & inner_dims_mask()) == 0;
}

/// Instructions whose values this one reads.
llvm::SmallVector<int, 4> KernelEmitter::uses_of(int number) const {
  const Instr& at = instr(number);
  llvm::SmallVector<int, 4> uses(at.operands.begin(), at.operands.end());
  for (const int used : {at.predicate, at.dynamic_index, form_of(number).argument})
    if (used >= 0) uses.push_back(used);
  return uses;
}

/// Finds what phases need of the columns that was computed before the loop in front of them: it
/// stays in memory, but for what is loaded as easily from where it came.
void KernelEmitter::find_kept_columns() {
  loop_of_.assign(kernel_.instrs.size(), -1);
  int loops = 0;
  for (const Phase& phase : kernel_.phases) {
    if (phase.loop) ++loops;
    for (const int number : phase.instrs) {
      int& loop = loop_of_[static_cast<size_t>(number)];
      if (loop < 0) loop = loops;
    }
  }
  const auto need = [&](const auto& self, int number, int loop) -> void {
    if (loop_of_[static_cast<size_t>(number)] == loop || !is_of_column(number)) return;
    const Instr& at = instr(number);
    if (at.kind != InstrKind::load || is_pinned(at)) {
      kept_columns_.insert({number, nullptr});
      return;
    }
    for (const int used : uses_of(number))
      self(self, used, loop);
  };
  loops = 0;
  for (const Phase& phase : kernel_.phases) {
    if (phase.loop) ++loops;
    for (const int number : phase.instrs) {
      for (const int used : uses_of(number))
        if (!is_in(phase, used)) need(need, used, loops);
    }
  }
}

/// Columns that there is memory for: the fewer vectors of each are kept, the more of a row.
int64_t KernelEmitter::most_columns_at_once() const {
  size_t accumulators = 1;
  for (const Plan& plan : plans_)
    accumulators = std::max(accumulators, plan.accumulates.size());
  const auto vectors = static_cast<int64_t>(kept_columns_.size() + accumulators);
  int64_t most = (has_several_loops() ? kColumnValuesOfLoops : kColumnValues) / vectors;
  if (const int64_t own = own_elements_of_column(); own > 0)
    most = std::min(most, kMostOwnElements / own);
  return std::max(most / kWholeColumns, int64_t{1}) * kWholeColumns;
}

/// The body of the loop over tasks.
void KernelEmitter::emit_columns(Range columns) {
  auto& b = e_.b;
  make_columns();
  for (const Plan& plan : plans_)
    if (!plan.phase->loop) emit_level(plan, kTaskLevel, kTaskLevel);
  llvm::Value* size = columns_at_once();
  llvm::Value* count = b.CreateSub(columns.end, columns.begin);
  count = b.CreateAdd(count, b.CreateSub(size, b.getInt64(1)));
  loop(b.getInt64(0), b.CreateSDiv(count, size), 1, [&](llvm::Value* number) {
    llvm::Value* first = b.CreateAdd(columns.begin, b.CreateMul(number, size));
    chunk_ = {
        first,
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, size), columns.end)};
    const auto finish = [&](const Plan* plan) {
      if (!finishes_columns(plan)) return;
      emit_vector_loops(chunk_.begin, chunk_.end, {}, [&] { finish_columns(plan); });
    };
    columns_ahead_ = size;
    is_last_chunk_ = b.CreateICmpEQ(chunk_.end, columns.end);
    columns_back_ = b.CreateSub(chunk_.begin, columns.begin);
    loop_ = 0;
    finish(nullptr);
    for (const Plan& plan : plans_) {
      if (!plan.phase->loop) continue;
      ++loop_;
      start_columns(plan);
      emit_level(plan, kTaskLevel, kTaskLevel);
      emit_inner(plan, 0);
      finish(&plan);
    }
  });
}

bool KernelEmitter::has_several_loops() const {
  return std::ranges::count(kernel_.phases, true, &Phase::loop) > 1;
}

/// As many as there is memory for. Where several loops follow each other, no more than leave what
/// they touch in a core's nearest caches, if those are pieces of rows that are worth it.
llvm::Value* KernelEmitter::columns_at_once() {
  struct Cache {
    int64_t bytes;
    int64_t least_piece;
  };

  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  const auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  llvm::Value* most = number(most_columns_at_once());
  if (!has_several_loops()) return most;
  llvm::Value* all = b.getInt64(1);
  for (int d = 0; d < static_cast<int>(kernel_.dims.size()); ++d) {
    if (!kernel_.dims[static_cast<size_t>(d)].inner) all = b.CreateMul(all, nonzero_extent(d));
  }
  llvm::Value* bytes_of_column = b.CreateAdd(b.CreateUDiv(bytes_touched(), all), b.getInt64(1));
  llvm::Value* columns = most;
  for (const Cache cache :
       {Cache{e_.host.cache_bytes, 1024}, Cache{e_.host.own_cache_bytes, kLeastPiece}}) {
    llvm::Value* near = b.CreateUDiv(number(cache.bytes / 2), bytes_of_column);
    near = b.CreateAnd(near, number(-kWholeColumns));
    near = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, near, most);
    chunk_is_near_ = b.CreateICmpSGE(near, number(cache.least_piece));
    columns = b.CreateSelect(chunk_is_near_, near, columns);
  }
  return columns;
}

/// Bits are bytes in memory.
llvm::Type* KernelEmitter::type_in_column(llvm::Type* type) {
  return type->isIntOrIntVectorTy(1) ? type->getWithNewBitWidth(8) : type;
}

/// A value of each, with room for a vector that begins with the last.
llvm::Value* KernelEmitter::make_column(llvm::Type* element) {
  return make_own_memory(type_in_column(element), most_columns_at_once() + e_.lanes);
}

/// Loops share the memory of their accumulators.
void KernelEmitter::make_columns() {
  for (auto& [number, memory] : kept_columns_)
    memory = make_column(e_.register_type(instr(number).dtype));
  for (const Plan& plan : plans_) {
    llvm::DenseMap<llvm::Type*, size_t> taken;
    const auto add = [&](llvm::Value* start) {
      llvm::Type* element = start->getType()->getScalarType();
      std::vector<llvm::Value*>& memory = column_memory_[element];
      const size_t place = taken[element]++;
      if (place == memory.size()) memory.push_back(make_column(element));
      columns_[&plan].push_back({memory[place], start});
    };
    const llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
    e_.b.SetInsertPoint(entry_->getTerminator());
    for (const int number : plan.accumulates) {
      const Reduction reduction = reduction_of(number);
      const Partial start = reduction_start(e_, reduction);
      add(start.value);
      if (reduction.tracks_position()) add(start.position);
    }
  }
}

void KernelEmitter::start_columns(const Plan& plan) {
  if (plan.accumulates.empty()) return;
  loop(chunk_.begin, chunk_.end, e_.lanes, [&](llvm::Value* position) {
    for (const Column& column : columns_[&plan])
      store_column(column.start, column_place(column, position, 0));
  });
}

llvm::Value* KernelEmitter::column_place(const Column& column, llvm::Value* position, int copy) {
  auto& b = e_.b;
  llvm::Value* index = b.CreateSub(position, chunk_.begin);
  index = b.CreateAdd(index, b.getInt64(static_cast<uint64_t>(copy_distance(copy))));
  llvm::Type* element = type_in_column(column.start->getType()->getScalarType());
  return b.CreateInBoundsGEP(element, column.memory, index);
}

llvm::Value* KernelEmitter::load_column(llvm::Type* vector, llvm::Value* place) {
  llvm::Value* value = e_.b.CreateAlignedLoad(type_in_column(vector), place, kAnywhere);
  return vector->isIntOrIntVectorTy(1) ? e_.b.CreateIsNotNull(value) : value;
}

void KernelEmitter::store_column(llvm::Value* value, llvm::Value* place) {
  llvm::Type* type = type_in_column(value->getType());
  if (type != value->getType()) value = e_.b.CreateZExt(value, type);
  e_.b.CreateAlignedStore(value, place, kAnywhere);
}

/// The accumulators of the columns that the body works on.
void KernelEmitter::load_columns(const Plan& plan) {
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  accumulators_.clear();
  accumulator_at_.clear();
  const Column* column = columns_[&plan].data();
  for (const int number : plan.accumulates) {
    const int width = reduction_of(number).tracks_position() ? 2 : 1;
    accumulator_at_[number] = static_cast<int>(accumulators_.size());
    for (int copy = 0; copy < copies_; ++copy) {
      for (int i = 0; i < width; ++i) {
        llvm::Value* place = column_place(column[i], position, copy);
        llvm::Type* vector = column[i].start->getType();
        accumulators_.push_back(load_column(vector, place));
      }
    }
    column += width;
  }
}

/// In the order in which they were loaded.
void KernelEmitter::store_columns(const Plan& plan) {
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  const Column* column = columns_[&plan].data();
  auto value = accumulators_.begin();
  for (const int number : plan.accumulates) {
    const int width = reduction_of(number).tracks_position() ? 2 : 1;
    for (int copy = 0; copy < copies_; ++copy) {
      for (int i = 0; i < width; ++i, ++value) {
        llvm::Value* place = column_place(column[i], position, copy);
        store_column(*value, place);
      }
    }
    column += width;
  }
  accumulators_.clear();
}

/// Makes the value of columns known: from memory, or from where it came.
void KernelEmitter::provide_column(int number) {
  Slot& slot = slots_[static_cast<size_t>(number)];
  if (!slot.copies.empty() || !is_of_column(number)) return;
  const auto kept = kept_columns_.find(number);
  if (kept == kept_columns_.end() || loop_of_[static_cast<size_t>(number)] == loop_) {
    for (const int used : uses_of(number))
      provide_column(used);
    emit_instr(number);
    return;
  }
  llvm::Type* vector = e_.vector_of(e_.register_type(instr(number).dtype));
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  for (int copy = 0; copy < copies_; ++copy) {
    llvm::Value* place =
        column_place({kept->second, llvm::PoisonValue::get(vector)}, position, copy);
    slot.copies.push_back(load_column(vector, place));
  }
  add_other_forms(number, slot);
}

/// What the phase uses of the columns and does not compute.
void KernelEmitter::provide_columns_of(const Plan& plan) {
  for (const int number : plan.phase->instrs) {
    for (const int used : uses_of(number))
      if (!is_in(*plan.phase, used)) provide_column(used);
  }
}

/// Rows that add to an accumulator between its load and its store: where a row is as large as the
/// nearest cache, accumulators come from the second one, and delay what comes from memory. Each row
/// is a stream of memory for each of its loads and stores: twelve gain, sixteen take 1.1 times as
/// long.
int KernelEmitter::rows_at_once(const Plan& plan) const {
  constexpr int kMostStreams = 12;
  constexpr int kMaxInstructions = 300;
  const auto is_in_memory = [&](int number) {
    const Instr& at = instr(number);
    if (has_lanes_of_own(at.buffer)) return false;
    return at.kind == InstrKind::store ||
           (at.kind == InstrKind::load && varies(number) && !is_of_column(number));
  };
  const auto streams = std::ranges::count_if(plan.phase->instrs, is_in_memory);
  const int rows = 4 * streams <= kMostStreams ? 4 : 2;
  return rows * unroll_ * work_of(*plan.phase) <= kMaxInstructions ? rows : 1;
}

/// The loop over the last inner dimension, with the vector loop inside. Rows that go past the
/// caches, whose lines begin anywhere, are stored one by one.
void KernelEmitter::emit_rows_of_columns(const Plan& plan) {
  const Range rows = inner_range(inner_dims_.back());
  const llvm::SmallVector<int, 4> streams = streams_of(plan);
  if (!plan.accumulates.empty() || streams.empty()) {
    emit_rows_together(plan, rows);
    return;
  }
  const auto one_by_one = [&] {
    loop(rows.begin, rows.end, 1, [&](llvm::Value* row) {
      emit_columns_of_rows(plan, row, 1, streams);
    });
  };
  emit_if(streams_pay(), one_by_one, [&] { emit_rows_together(plan, rows); });
}

/// Rows that are walked at once are far apart: pieces of four neighbors in turn are no order in
/// which the machine prefetches.
void KernelEmitter::emit_rows_together(const Plan& plan, Range range) {
  auto& b = e_.b;
  const int rows = rows_at_once(plan);
  llvm::Value* rest_begin = range.begin;
  if (rows > 1) {
    llvm::Value* count = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b.CreateSub(range.end, range.begin), b.getInt64(0));
    row_distance_ = b.CreateSDiv(count, b.getInt64(static_cast<uint64_t>(rows)));
    loop(range.begin, b.CreateAdd(range.begin, row_distance_), 1, [&](llvm::Value* row) {
      emit_columns_of_rows(plan, row, rows, {});
    });
    rest_begin = b.CreateAdd(range.begin, distance_of_row(rows));
  }
  loop(rest_begin, range.end, 1, [&](llvm::Value* row) { emit_columns_of_rows(plan, row, 1, {}); });
}

void KernelEmitter::emit_columns_of_rows(const Plan& plan,
                                         llvm::Value* first,
                                         int count,
                                         llvm::ArrayRef<int> streams) {
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
  emit_vector_loops(chunk_.begin, chunk_.end, streams, [&] {
    llvm::Value* position = positions_[vector_dim];
    std::vector<Slot> values_of_columns;
    load_columns(plan);
    for (const Scope& row : rows) {
      restore_scope(row);
      positions_[vector_dim] = position;
      if (!values_of_columns.empty()) share_values_of_columns(values_of_columns);
      enter_dims({kernel_.vector_dim}, nullptr);
      provide_columns_of(plan);
      if (count == 1) emit_prefetches_of_next_rows(plan);
      emit_prefetches_of_next_chunk(plan);
      emit_level(plan, innermost_level(), innermost_level());
      values_of_columns = slots_;
    }
    store_columns(plan);
  });
}

/// What another row of the body computed from the columns alone.
void KernelEmitter::share_values_of_columns(llvm::ArrayRef<Slot> known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if ((deps_[i] & inner_dims_mask()) == 0) slots_[i] = known[i];
  }
}

/// What is computed once for each column behind that loop, or in front of all: straight code up to
/// the next loop.
void KernelEmitter::finish_columns(const Plan* loop) {
  enter_dims({kernel_.vector_dim}, nullptr);
  if (loop != nullptr) {
    load_columns(*loop);
    finish_accumulators(*loop);
    accumulators_.clear();
  }
  for (const Plan& plan : straight_code_behind(loop)) {
    provide_columns_of(plan);
    emit_level(plan, kTaskLevel, innermost_level());
  }
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  for (const auto& [number, memory] : kept_columns_) {
    if (loop_of_[static_cast<size_t>(number)] != loop_) continue;
    provide_column(number);
    for (int copy = 0; copy < copies_; ++copy) {
      llvm::Value* value = operand(number, copy, /*as_vector=*/true);
      store_column(value, column_place({memory, value}, position, copy));
    }
  }
}

/// Whether anything behind that loop is stored, or kept for those behind.
bool KernelEmitter::finishes_columns(const Plan* loop) const {
  const auto is_store = [&](int number) { return instr(number).kind == InstrKind::store; };
  for (const Plan& plan : straight_code_behind(loop))
    if (std::ranges::any_of(plan.phase->instrs, is_store)) return true;
  return std::ranges::any_of(kept_columns_, [&](const auto& kept) {
    return loop_of_[static_cast<size_t>(kept.first)] == loop_;
  });
}

/// The phases between this loop, or the begin, and the next one.
llvm::ArrayRef<Plan> KernelEmitter::straight_code_behind(const Plan* loop) const {
  const llvm::ArrayRef<Plan> behind =
      llvm::ArrayRef(plans_).drop_front(loop == nullptr ? 0 : loop - plans_.data() + 1);
  return behind.take_while([](const Plan& plan) { return !plan.phase->loop; });
}

}  // namespace wick::codegen::llvm_jit
