// Copies between memory that vectors cross and memory of the kernel's own: see staging.h.

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// As other accesses, so that loops decide their addresses.
void KernelEmitter::collect_staged_accesses() {
  for (const Staged& staged : s_.staged()) {
    accesses_of_staged_.push_back(accesses_.size());
    accesses_.push_back({staged.buffer, staged.address, nullptr});
  }
}

llvm::Value* KernelEmitter::place_of_staged(size_t number) const {
  return accesses_[accesses_of_staged_[number]].partial;
}

llvm::Function* KernelEmitter::transposing_copy(const TransposingCopy& copy) {
  llvm::Function*& made = transposing_copies_[copy];
  if (made == nullptr) made = make_transposing_copy(e_, copy);
  return made;
}

void KernelEmitter::emit_staged_copy(size_t number,
                                     Transposing direction,
                                     llvm::Value* place,
                                     llvm::Value* place_stride,
                                     StagedBlock block) {
  auto& b = e_.b;
  const Staged& staged = s_.staged()[number];
  const size_t bytes = size_of(kernel_.buffers[static_cast<size_t>(staged.own)].dtype);
  // Permutations of vectors take AVX2 three instructions.
  const int64_t most = e_.host.avx512 ? kLongestDenseRow : kLongestDenseRow - 1;
  const int64_t row_stride = staged.address.terms[static_cast<size_t>(kernel_.vector_dim)].known;
  const bool is_few = row_stride > 1 && row_stride <= most;
  b.CreateCall(transposing_copy({.element_bytes = bytes,
                                 .direction = direction,
                                 .pitch = block.pitch,
                                 .row_stride = is_few ? row_stride : 0}),
               {place, place_stride, start_of_buffer(staged.own), block.rows, block.columns});
}

/// Between rows of the memory that a staged buffer stands for.
llvm::Value* KernelEmitter::stride_of_staged(size_t number) {
  const Affine& address = s_.staged()[number].address;
  return param(address.terms[static_cast<size_t>(kernel_.vector_dim)].param);
}

/// Rows that follow each other without gaps and fill lines go past the caches, if the launch does,
/// by way of memory: the copy writes parts of lines.
void KernelEmitter::emit_staged_rows(size_t number, llvm::Value* place, StagedBlock block) {
  auto& b = e_.b;
  llvm::Value* stride = stride_of_staged(number);
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(s_.staged()[number].buffer)];
  const bool is_whole = masks_.empty();
  if (!is_whole || !buffer.no_alias) {
    emit_staged_copy(number, Transposing::into_rows, place, stride, block);
    return;
  }
  auto* streaming = llvm::BasicBlock::Create(b.getContext(), "streaming", function_);
  auto* cached = llvm::BasicBlock::Create(b.getContext(), "cached", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "stored", function_);
  llvm::Value* bytes =
      b.CreateMul(b.CreateMul(block.rows, block.columns), b.getInt64(size_of(buffer.dtype)));
  llvm::Value* within_line = b.CreateAnd(b.CreateOr(b.CreatePtrToInt(place, b.getInt64Ty()), bytes),
                                         b.getInt64(uint64_t{kLineBytes} - 1));
  llvm::Value* streams = b.CreateAnd(exceeds_caches(), b.CreateICmpEQ(stride, block.columns));
  streams = b.CreateAnd(streams, b.CreateICmpEQ(within_line, b.getInt64(0)));
  b.CreateCondBr(streams, streaming, cached);

  b.SetInsertPoint(streaming);
  llvm::Value*& lines = staged_lines_;
  if (lines == nullptr)
    lines = make_own_memory(b.getInt64Ty(), kernel_.longest_row * s_.own_width());
  emit_staged_copy(number, Transposing::into_rows, lines, stride, block);
  emit_lines_past_caches(lines, place, bytes);
  b.CreateBr(after);

  b.SetInsertPoint(cached);
  emit_staged_copy(number, Transposing::into_rows, place, stride, block);
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void KernelEmitter::emit_lines_past_caches(llvm::Value* lines,
                                           llvm::Value* place,
                                           llvm::Value* bytes) {
  auto& b = e_.b;
  llvm::Type* line = llvm::FixedVectorType::get(b.getInt64Ty(), kLineBytes / sizeof(int64_t));
  loop(b.getInt64(0), bytes, kLineBytes, [&](llvm::Value* at) {
    const auto move = [&](llvm::Value* begin) { return b.CreateGEP(b.getInt8Ty(), begin, at); };
    store_past_caches(b.CreateAlignedLoad(line, move(lines), kCacheLine), move(place));
  });
}

/// In tiles of tasks, so that the lines of their results stay in the cache until they are full.
void KernelEmitter::emit_rows_of_many_tasks(Range tasks, Range vectors) {
  auto& b = e_.b;
  const int last_dim = s_.task_dims().back();
  const llvm::ArrayRef<int> other_dims = s_.task_dims().drop_back();
  for_each_line(tasks, [&](const std::vector<llvm::Value*>& starts, Range line) {
    for (size_t i = 0; i < starts.size(); ++i)
      positions_[static_cast<size_t>(other_dims[i])] = starts[i];
    enter_dims(other_dims, nullptr);
    loop(line.begin, line.end, kTileTasks, [&](llvm::Value* begin) {
      llvm::Value* end = b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, b.CreateAdd(begin, b.getInt64(kTileTasks)), line.end);
      emit_vector_loops(vectors.begin, vectors.end, {}, [&] {
        enter_dims({kernel_.vector_dim}, nullptr);
        emit_rows_staged([&] {
          loop(begin, end, 1, [&](llvm::Value* task) {
            positions_[static_cast<size_t>(last_dim)] = task;
            enter_dims({last_dim}, nullptr);
            emit_phases();
          });
        });
      });
    });
  });
}

void KernelEmitter::emit_rows_staged(const std::function<void()>& body) {
  if (s_.staged().empty()) {
    body();
    return;
  }
  std::vector<llvm::Value*> places;
  const StagedBlock block{.pitch = s_.own_width(),
                          .rows = num_positions_,
                          .columns = extent_of(s_.inner_dims().back())};
  for (size_t i = 0; i < s_.staged().size(); ++i) {
    places.push_back(place_of_staged(i));
    if (!s_.staged()[i].reads) continue;
    emit_staged_copy(i, Transposing::into_columns, places[i], stride_of_staged(i), block);
  }
  find_rows_behind(places, block);
  body();
  rows_behind_.clear();
  for (size_t i = 0; i < s_.staged().size(); ++i) {
    if (s_.staged()[i].writes) emit_staged_rows(i, places[i], block);
  }
}

/// The rows behind these lie in one piece where all do. The machine does not foresee them: each
/// load of a block is far from the last one. Where that is not worth it, it is this block's own
/// memory that is asked for.
void KernelEmitter::find_rows_behind(llvm::ArrayRef<llvm::Value*> places, StagedBlock block) {
  if (s_.stages_for_many_tasks() || !masks_.empty() || copies_ < unroll_) return;
  auto& b = e_.b;
  for (size_t i = 0; i < places.size(); ++i) {
    const Staged& staged = s_.staged()[i];
    if (!staged.reads) continue;
    llvm::Type* element =
        e_.storage_type(kernel_.buffers[static_cast<size_t>(staged.buffer)].dtype);
    llvm::Value* stride = stride_of_staged(i);
    llvm::Value* next = b.CreateGEP(element, places[i], b.CreateMul(block.rows, stride));
    llvm::Value* pays = b.CreateAnd(exceeds_caches(), b.CreateICmpEQ(stride, block.columns));
    rows_behind_.push_back({staged.own, b.CreateSelect(pays, next, start_of_buffer(staged.own))});
  }
}

/// In the loop over them that computes most, for each column as much as it holds of these: all at
/// once, they would wait for each other. Softmax of rows of 50 takes 0.73 of the time.
void KernelEmitter::emit_prefetches_of_rows_behind(const Plan& plan, llvm::Value* column) {
  const auto work = [&](const Plan& other) {
    return other.phase->loop ? s_.work_of(*other.phase) : 0;
  };
  const llvm::ArrayRef<Plan> plans = s_.plans();
  if (rows_behind_.empty() || &plan != &*std::ranges::max_element(plans, {}, work)) return;
  auto& b = e_.b;
  for (const auto& [own, begin] : rows_behind_) {
    const size_t bytes = static_cast<size_t>(s_.own_width()) *
                         size_of(kernel_.buffers[static_cast<size_t>(own)].dtype);
    for (size_t line = 0; line < bytes; line += kLineBytes) {
      llvm::Value* offset = b.CreateAdd(b.CreateMul(column, b.getInt64(bytes)), b.getInt64(line));
      e_.prefetch(b.CreateGEP(b.getInt8Ty(), begin, offset));
    }
  }
}

/// For positions that count from elsewhere: so many elements of own memory lie before its first.
void KernelEmitter::let_own_memory_begin_at(llvm::Value* first) {
  for (Access& access : accesses_) {
    if (!s_.is_own(access.buffer)) continue;
    const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(access.buffer)];
    access.partial =
        e_.b.CreateGEP(e_.storage_type(buffer.dtype), access.partial, e_.b.CreateNeg(first));
  }
}

/// What the lanes that are wanted read in a strip. Between two of them lies no memory of others, so
/// that all rows from the first to the last may be read.
void KernelEmitter::stage_lanes(size_t number, llvm::Value* place, llvm::Value* columns) {
  auto& b = e_.b;
  const Staged& staged = s_.staged()[number];
  const auto lanes = static_cast<unsigned>(e_.lanes);
  const auto read = [&](llvm::Value* first, llvm::Value* last) {
    b.CreateCall(transposing_copy({.element_bytes = sizeof(float),
                                   .direction = Transposing::some_into_columns,
                                   .pitch = s_.own_width()}),
                 {place,
                  stride_of_staged(number),
                  start_of_buffer(staged.own),
                  b.getInt64(lanes),
                  columns,
                  first,
                  last});
  };
  llvm::Value* wanted = mask_of_copy(0);
  if (staged.predicate >= 0) {
    llvm::Value* predicate = operand(staged.predicate, 0, true);
    wanted = wanted == nullptr ? predicate : b.CreateAnd(wanted, predicate);
  }
  if (wanted == nullptr) return read(b.getInt64(0), b.getInt64(lanes - 1));
  llvm::Value* bits = b.CreateZExt(b.CreateBitCast(wanted, b.getIntNTy(lanes)), b.getInt64Ty());
  emit_if(b.CreateICmpNE(bits, b.getInt64(0)), [&] {
    constexpr uint64_t kLastBit = 63;
    llvm::Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getTrue());
    read(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue()),
         b.CreateSub(b.getInt64(kLastBit), zeros));
  });
}

/// Reads the strip, and lets its own memory begin there.
void KernelEmitter::stage_strip(int dim, Range strip) {
  auto& b = e_.b;
  Scope scope = save_scope();
  positions_[static_cast<size_t>(dim)] = strip.begin;
  enter_dims({dim}, nullptr);
  std::vector<llvm::Value*> places;
  for (size_t i = 0; i < s_.staged().size(); ++i)
    places.push_back(place_of_staged(i));
  restore_scope(std::move(scope));
  for (size_t i = 0; i < s_.staged().size(); ++i)
    stage_lanes(i, places[i], b.CreateSub(strip.end, strip.begin));
  let_own_memory_begin_at(
      b.CreateMul(strip.begin, b.getInt64(static_cast<uint64_t>(s_.own_width()))));
}

void KernelEmitter::emit_staged_strips(int dim,
                                       Range range,
                                       const std::function<void(Range)>& body) {
  auto& b = e_.b;
  loop(range.begin, range.end, kStrip, [&](llvm::Value* begin) {
    const Range strip{
        begin,
        b.CreateBinaryIntrinsic(
            llvm::Intrinsic::smin, b.CreateAdd(begin, b.getInt64(kStrip)), range.end)};
    stage_strip(dim, strip);
    body(strip);
  });
}

}  // namespace wick::codegen::llvm_jit
