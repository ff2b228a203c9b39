// Reductions of columns row by row, as memory has them: strips that fit registers would jump from
// page to page. Accumulators of many columns stay in memory of the function, near enough to be
// loaded and stored again for each row.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

namespace {

constexpr llvm::Align kAnywhere = llvm::Align::Constant<1>();

}  // namespace

/// The body of the loop over tasks.
void KernelEmitter::emit_columns(Range columns) {
  auto& b = e_.b;
  make_columns();
  for (const Plan& plan : s_.plans())
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
    for (const Plan& plan : s_.plans()) {
      if (!plan.phase->loop) continue;
      ++loop_;
      start_columns(plan);
      emit_level(plan, kTaskLevel, kTaskLevel);
      emit_inner(plan, 0);
      finish(&plan);
    }
  });
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
  llvm::Value* most = number(s_.most_columns_at_once());
  if (!s_.has_several_loops()) return most;
  llvm::Value* all = b.getInt64(1);
  for (int d = 0; d < static_cast<int>(kernel_.dims.size()); ++d) {
    if (!kernel_.dims[static_cast<size_t>(d)].inner) all = b.CreateMul(all, nonzero_extent(d));
  }
  llvm::Value* bytes_of_column = b.CreateAdd(b.CreateUDiv(bytes_touched(), all), b.getInt64(1));
  llvm::Value* columns = most;
  for (const Cache cache : {Cache{e_.host.cache_bytes, 1024},
                            Cache{e_.host.own_cache_bytes, KernelSchedule::kLeastPiece}}) {
    llvm::Value* near = b.CreateUDiv(number(cache.bytes / 2), bytes_of_column);
    near = b.CreateAnd(near, number(-KernelSchedule::kWholeColumns));
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
  return make_own_memory(type_in_column(element), s_.most_columns_at_once() + e_.lanes);
}

/// Loops share the memory of their accumulators.
void KernelEmitter::make_columns() {
  for (const int number : s_.kept_columns())
    kept_columns_[number] = make_column(e_.register_type(s_.instr(number).dtype));
  for (const Plan& plan : s_.plans()) {
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
      const Reduction reduction = s_.reduction_of(number);
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
    const int width = s_.reduction_of(number).tracks_position() ? 2 : 1;
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
    const int width = s_.reduction_of(number).tracks_position() ? 2 : 1;
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
  if (!slot.copies.empty() || !s_.is_of_column(number)) return;
  const auto kept = kept_columns_.find(number);
  if (kept == kept_columns_.end() || s_.loop_of(number) == loop_) {
    for (const int used : s_.uses_of(number))
      provide_column(used);
    emit_instr(number);
    return;
  }
  llvm::Type* vector = e_.vector_of(e_.register_type(s_.instr(number).dtype));
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
    for (const int used : s_.uses_of(number))
      if (!is_in(*plan.phase, used)) provide_column(used);
  }
}

/// The loop over the last inner dimension, with the vector loop inside. Rows that go past the
/// caches, whose lines begin anywhere, are stored one by one.
void KernelEmitter::emit_rows_of_columns(const Plan& plan) {
  const Range rows = inner_range(s_.inner_dims().back());
  const llvm::SmallVector<int, 4> streams = s_.streams_of(plan);
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
  const int rows = s_.rows_at_once(plan);
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
  const int row_dim = s_.inner_dims().back();
  const auto vector_dim = static_cast<size_t>(kernel_.vector_dim);
  const Scope before = save_scope();
  std::vector<Scope> rows;
  for (int row = 0; row < count; ++row) {
    restore_scope(before);
    positions_[static_cast<size_t>(row_dim)] = e_.b.CreateAdd(first, distance_of_row(row));
    enter_dims({row_dim}, &plan);
    emit_level(plan, s_.innermost_level() - 1, s_.innermost_level() - 1);
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
      emit_level(plan, s_.innermost_level(), s_.innermost_level());
      values_of_columns = slots_;
    }
    store_columns(plan);
  });
}

/// What another row of the body computed from the columns alone.
void KernelEmitter::share_values_of_columns(llvm::ArrayRef<Slot> known) {
  for (size_t i = 0; i < known.size(); ++i) {
    if (!s_.depends_on_inner(static_cast<int>(i))) slots_[i] = known[i];
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
  for (const Plan& plan : s_.straight_code_behind(loop)) {
    provide_columns_of(plan);
    emit_level(plan, kTaskLevel, s_.innermost_level());
  }
  llvm::Value* position = positions_[static_cast<size_t>(kernel_.vector_dim)];
  for (const auto& [number, memory] : kept_columns_) {
    if (s_.loop_of(number) != loop_) continue;
    provide_column(number);
    for (int copy = 0; copy < copies_; ++copy) {
      llvm::Value* value = operand(number, copy, /*as_vector=*/true);
      store_column(value, column_place({memory, value}, position, copy));
    }
  }
}

/// Whether anything behind that loop is stored, or kept for those behind.
bool KernelEmitter::finishes_columns(const Plan* loop) const {
  const auto is_store = [&](int number) { return s_.instr(number).kind == InstrKind::store; };
  for (const Plan& plan : s_.straight_code_behind(loop))
    if (std::ranges::any_of(plan.phase->instrs, is_store)) return true;
  return std::ranges::any_of(s_.kept_columns(),
                             [&](int number) { return s_.loop_of(number) == loop_; });
}

}  // namespace wick::codegen::llvm_jit
