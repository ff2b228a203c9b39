// Asking for what will be read. What several loops over a row read comes from memory in the first
// of them: the machine prefetches along that loop and rests in the others. So the others ask for
// it, each for a part of the row that goes with its work: memory is kept busy all the time, and
// brings what is read while it takes what is written. Elementwise kernels that go past the caches
// ask for what they will read some pages on.

#include <algorithm>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

llvm::Value* KernelEmitter::stride_of(const Affine& address, int dim) {
  const Affine::Term& term = address.terms[static_cast<size_t>(dim)];
  if (term.stride == Stride::dynamic) return param(term.param);
  return e_.b.getInt64(term.stride == Stride::one ? 1 : 0);
}

/// From the row of the load in this task to the part, in elements; the row behind is that behind
/// all that take turns. Rows that are so long that what was asked for would be gone have their own
/// first elements asked for instead.
llvm::Value* KernelEmitter::prefetch_start(const Prefetch& prefetch) {
  constexpr int64_t kLongestRow = 65536;
  auto& b = e_.b;
  const Affine& address = s_.instr(prefetch.number).address;
  llvm::Value* start = b.CreateUDiv(
      b.CreateMul(extent_of(s_.copy_dim()), b.getInt64(static_cast<uint64_t>(prefetch.begin))),
      b.getInt64(kPrefetchParts));
  start = b.CreateMul(start, stride_of(address, s_.copy_dim()));
  if (prefetch.of_next_task) {
    llvm::Value* stride = param(address.terms[static_cast<size_t>(s_.task_dims().back())].param);
    const size_t rows = std::max<size_t>(rows_.size(), 1);
    start = b.CreateAdd(start, b.CreateMul(stride, b.getInt64(rows)));
  }
  llvm::Value* row = kernel_.short_vector ? extent_of(kernel_.vector_dim) : b.getInt64(1);
  for (const int dim : s_.inner_dims())
    row = b.CreateMul(row, extent_of(dim));
  return b.CreateSelect(b.CreateICmpSLE(row, b.getInt64(kLongestRow)), start, b.getInt64(0));
}

void KernelEmitter::emit_prefetches(const Plan& plan) {
  if (plan.prefetches.empty()) emit_prefetches_of_hidden(plan);
  for (const Prefetch& prefetch : plan.prefetches)
    emit_prefetch(prefetch);
}

/// The lines that are the part's share at this position.
void KernelEmitter::emit_prefetch(const Prefetch& prefetch) {
  auto& b = e_.b;
  llvm::Value*& start = prefetch_starts_[{&prefetch, rows_.size()}];
  if (start == nullptr) {
    const llvm::IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(entry_->getTerminator());
    start = prefetch_start(prefetch);
  }
  const Instr& at = s_.instr(prefetch.number);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* position = positions_[static_cast<size_t>(s_.copy_dim())];
  llvm::Value* share =
      b.CreateUDiv(b.CreateMul(position, b.getInt64(static_cast<uint64_t>(prefetch.size))),
                   b.getInt64(kPrefetchParts));
  llvm::Value* offset = b.CreateAdd(
      start, b.CreateMul(b.CreateSub(share, position), stride_of(at.address, s_.copy_dim())));
  llvm::Value* address = b.CreateGEP(element, address_of(at, prefetch.number, 0), offset);
  constexpr int64_t kLine = 64;
  const int64_t bytes = int64_t{e_.lanes} * copies_ * static_cast<int64_t>(size_of(at.dtype)) *
                        prefetch.size / kPrefetchParts;
  for (int64_t line = 0; line < std::max(bytes, kLine); line += kLine)
    e_.prefetch(b.CreateGEP(b.getInt8Ty(), address, b.getInt64(static_cast<uint64_t>(line))));
}

/// Of every copy, at a distance in elements.
void KernelEmitter::emit_prefetch_of_copies(int number, llvm::Value* distance, int level) {
  const Instr& at = s_.instr(number);
  llvm::Type* element = e_.storage_type(at.dtype);
  for (int copy = 0; copy < copies_; ++copy)
    e_.prefetch(e_.b.CreateGEP(element, address_of(at, number, copy), distance), level);
}

/// Two pages in elements, since where a page ends the machine stops to prefetch. Of tiles, what the
/// next one reads.
llvm::Value* KernelEmitter::distance_ahead(const Instr& at) {
  constexpr int64_t kBytes = 8192;
  const int64_t distance = tiled_vectors_.begin != nullptr
                               ? kLongTileVectors
                               : kBytes / static_cast<int64_t>(size_of(at.dtype));
  return e_.b.getInt64(static_cast<uint64_t>(distance));
}

/// What a loop reads from memory; a choice of loads asks for the chosen one itself.
void KernelEmitter::emit_prefetches_ahead(const Plan& plan) {
  if (!s_.asks_ahead(plan)) return;
  for (const int number : plan.phase->instrs) {
    const Instr& at = s_.instr(number);
    if (!s_.reads_vectors(at) || s_.is_chosen(number)) continue;
    emit_prefetch_of_copies(number, distance_ahead(at));
  }
}

/// What masks hide, where it comes from memory. On Zen 3 it was not measured nearer than that.
void KernelEmitter::emit_prefetches_of_hidden(const Plan& plan) {
  if (!s_.hides_loads(plan)) return;
  llvm::Value* are_far = e_.host.zen5 ? exceeds_own_cache() : exceeds_caches();
  emit_if(are_far, [&] { emit_prefetches_ahead(plan); });
}

/// Whether rows of what is accessed begin anywhere in a line.
llvm::Value* KernelEmitter::rows_begin_within_lines(const Instr& at) {
  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  const Affine::Term& row = at.address.terms[static_cast<size_t>(s_.task_dims().back())];
  llvm::Value* bytes = b.CreateMul(param(row.param), b.getInt64(size_of(at.dtype)));
  llvm::Value* within_line = b.CreateAnd(bytes, b.getInt64(kCacheLine.value() - 1));
  return b.CreateICmpNE(within_line, b.getInt64(0));
}

/// What rows that are read once read a few lines on, where each of their vectors is in two lines
/// and the first level has neither: of [977,4093], in the shared cache, row by row products' sums
/// took 0.21 ns an element instead of 0.14 (Zen 5). Asked for as far as the second level they took
/// no less. Rows of several loops would gain a tenth at most, and those of whole lines lose as much
/// to the branch.
void KernelEmitter::emit_prefetches_of_split_lines(const Plan& plan) {
  constexpr int64_t kBytes = 2048;
  constexpr int kFirstLevel = 1;
  if (!e_.host.zen5 || !masks_.empty() || s_.task_dims().empty() || !s_.rows_are_read_once())
    return;
  for (const int number : plan.phase->instrs) {
    const Instr& at = s_.instr(number);
    const auto size = static_cast<int64_t>(size_of(at.dtype));
    if (!s_.reads_vectors(at)) continue;
    if (at.address.terms[static_cast<size_t>(s_.task_dims().back())].stride != Stride::dynamic)
      continue;
    if (e_.lanes * size != static_cast<int64_t>(kCacheLine.value())) continue;
    llvm::Value* pays = e_.b.CreateAnd(rows_begin_within_lines(at), exceeds_own_cache());
    llvm::Value* ahead = e_.b.getInt64(static_cast<uint64_t>(kBytes / size));
    emit_if(pays, [&] { emit_prefetch_of_copies(number, ahead, kFirstLevel); });
  }
}

/// What columns read two rows on, where one row is walked after the other.
void KernelEmitter::emit_prefetches_of_next_rows(const Plan& plan) {
  constexpr uint64_t kAhead = 2;
  for (const int number : plan.phase->instrs) {
    const Instr& at = s_.instr(number);
    const Affine::Term& row = at.address.terms[static_cast<size_t>(s_.inner_dims().back())];
    if (!s_.reads_vectors(at) || row.stride != Stride::dynamic) continue;
    emit_prefetch_of_copies(number, e_.b.CreateMul(param(row.param), e_.b.getInt64(kAhead)));
  }
}

/// What the first loop over columns will read of those behind, or of the next task's, where that
/// stays in a core's own cache until then.
void KernelEmitter::emit_prefetches_of_next_chunk(const Plan& plan) {
  if (!s_.asks_for_next_chunk(plan)) return;
  auto& b = e_.b;
  emit_if(b.CreateAnd(chunk_is_near_, exceeds_caches()), [&] {
    for (const int number : plan.phase->instrs) {
      const Instr& at = s_.instr(number);
      if (!s_.reads_vectors(at) || s_.is_of_column(number) || s_.has_lanes_of_own(at.buffer))
        continue;
      const auto is_same = [&](int other) {
        return access_of_[static_cast<size_t>(other)] == access_of_[static_cast<size_t>(number)];
      };
      if (std::ranges::none_of(s_.loop_plan().phase->instrs, is_same)) continue;
      llvm::Value* distance = columns_ahead_;
      if (!s_.task_dims().empty()) {
        const Affine::Term& task = at.address.terms[static_cast<size_t>(s_.task_dims().back())];
        if (task.stride != Stride::dynamic) continue;
        llvm::Value* to_next_task = b.CreateSub(param(task.param), columns_back_);
        distance = b.CreateSelect(is_last_chunk_, to_next_task, distance);
      }
      emit_prefetch_of_copies(number, distance);
    }
  });
}

}  // namespace wick::codegen::llvm_jit
