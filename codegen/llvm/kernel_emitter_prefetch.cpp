// Asking for what will be read. What several loops over a row read comes from memory in the first
// of them: the machine prefetches along that loop and rests in the others. So the others ask for
// it, each for a part of the row that goes with its work: memory is kept busy all the time, and
// brings what is read while it takes what is written. Elementwise kernels that go past the caches
// ask for what they will read some pages on.

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// A load of vectors that are lines, from memory that is only read.
bool KernelEmitter::reads_vectors(const Instr& at) const {
  return at.kind == InstrKind::load && at.dynamic_index < 0 && size_of(at.dtype) >= sizeof(float) &&
         !kernel_.buffers[static_cast<size_t>(at.buffer)].written &&
         kernel_.buffers[static_cast<size_t>(at.buffer)].own_elements == 0 &&
         at.address.terms[static_cast<size_t>(kernel_.vector_dim)].stride == Stride::one;
}

/// What each loop is the first to read, the others ask for: of rows along vectors, or along the
/// positions of short ones.
void KernelEmitter::find_prefetches() {
  const bool has_rows = kernel_.vector_is_inner() || kernel_.short_vector;
  if (!has_rows || task_dims_.empty() || kernel_.blocking) return;
  std::vector<Plan*> loops;
  for (Plan& plan : plans_) {
    if (plan.phase->loop) loops.push_back(&plan);
  }
  std::vector<int> buffers;  // read so far
  const auto next_task = static_cast<size_t>(task_dims_.back());
  for (size_t i = 0; i < loops.size(); ++i) {
    for (const int number : loops[i]->phase->instrs) {
      const Instr& at = instr(number);
      if (!reads_vectors(at) || std::ranges::find(buffers, at.buffer) != buffers.end()) continue;
      if (at.address.terms[next_task].stride != Stride::dynamic) continue;
      buffers.push_back(at.buffer);
      share_prefetch(loops, i, number);
    }
  }
}

/// The loops behind the reader have it for the next task, those before it for their own. On Zen
/// stores past the caches wait for what their loop asks for: others do it where they compute enough
/// meanwhile.
void KernelEmitter::share_prefetch(llvm::ArrayRef<Plan*> loops, size_t reader, int number) {
  constexpr int kEnoughWork = 12;
  const auto streams = [&](size_t at) { return !streams_of(*loops[at]).empty(); };
  bool spares_streams = false;
  for (size_t at = 0; at < loops.size() && e_.host.zen; ++at)
    spares_streams |= at != reader && !streams(at) && work_of(*loops[at]->phase) >= kEnoughWork;
  const auto work_at = [&](size_t at) {
    return at == reader || (spares_streams && streams(at)) ? 0 : work_of(*loops[at]->phase);
  };
  int all_work = 0;
  for (size_t at = 0; at < loops.size(); ++at)
    all_work += work_at(at);
  int work = 0;
  int begin = 0;
  for (size_t step = 1; step < loops.size(); ++step) {
    const size_t at = (reader + step) % loops.size();
    work += work_at(at);
    const int end = (kPrefetchParts * work + all_work / 2) / all_work;
    if (end > begin) loops[at]->prefetches.push_back({number, at > reader, begin, end - begin});
    begin = end;
  }
}

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
  const Affine& address = instr(prefetch.number).address;
  llvm::Value* start = b.CreateUDiv(
      b.CreateMul(extent_of(copy_dim_), b.getInt64(static_cast<uint64_t>(prefetch.begin))),
      b.getInt64(kPrefetchParts));
  start = b.CreateMul(start, stride_of(address, copy_dim_));
  if (prefetch.of_next_task) {
    llvm::Value* stride = param(address.terms[static_cast<size_t>(task_dims_.back())].param);
    const size_t rows = std::max<size_t>(rows_.size(), 1);
    start = b.CreateAdd(start, b.CreateMul(stride, b.getInt64(rows)));
  }
  llvm::Value* row = kernel_.short_vector ? extent_of(kernel_.vector_dim) : b.getInt64(1);
  for (const int dim : inner_dims_)
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
  const Instr& at = instr(prefetch.number);
  llvm::Type* element = e_.storage_type(at.dtype);
  llvm::Value* position = positions_[static_cast<size_t>(copy_dim_)];
  llvm::Value* share =
      b.CreateUDiv(b.CreateMul(position, b.getInt64(static_cast<uint64_t>(prefetch.size))),
                   b.getInt64(kPrefetchParts));
  llvm::Value* offset = b.CreateAdd(
      start, b.CreateMul(b.CreateSub(share, position), stride_of(at.address, copy_dim_)));
  llvm::Value* address = b.CreateGEP(element, address_of(at, prefetch.number, 0), offset);
  constexpr int64_t kLine = 64;
  const int64_t bytes = int64_t{e_.lanes} * copies_ * static_cast<int64_t>(size_of(at.dtype)) *
                        prefetch.size / kPrefetchParts;
  for (int64_t line = 0; line < std::max(bytes, kLine); line += kLine)
    emit_prefetch(b.CreateGEP(b.getInt8Ty(), address, b.getInt64(static_cast<uint64_t>(line))));
}

void KernelEmitter::emit_prefetch(llvm::Value* address) {
  constexpr int kToSecondLevel = 2;
  auto& b = e_.b;
  b.CreateIntrinsic(llvm::Intrinsic::prefetch,
                    {address->getType()},
                    {address, b.getInt32(0), b.getInt32(kToSecondLevel), b.getInt32(1)});
}

/// Of every copy, at a distance in elements.
void KernelEmitter::emit_prefetch_of_copies(int number, llvm::Value* distance) {
  const Instr& at = instr(number);
  for (int copy = 0; copy < copies_; ++copy)
    emit_prefetch(
        e_.b.CreateGEP(e_.storage_type(at.dtype), address_of(at, number, copy), distance));
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

/// Loads under masks, as those of conditions are or become, tell the prefetchers of Zen 5 nothing:
/// dropout of 16 M elements takes 14.3 ms, and 5.9 where they are asked for ahead. Nor do those of
/// AVX2 tell Zen 3, of which guards of short rows are the only ones.
bool KernelEmitter::hides_loads(const Plan& plan) const {
  const bool has_masks_of_avx2 = e_.host.zen && !e_.host.avx512 && walks_bound_rows_;
  if (!e_.host.zen5 && !has_masks_of_avx2) return false;
  return std::ranges::any_of(plan.phase->instrs, [&](int number) {
    const Instr& at = instr(number);
    if (at.kind == InstrKind::load) return at.predicate >= 0 && varies(number);
    return at.kind == InstrKind::compute && at.op == ir::OpKind::where && varies(number);
  });
}

/// Zen follows a single stream as fast as memory gives it, and is only disturbed; Intel's cores and
/// several streams gain.
bool KernelEmitter::asks_ahead(const Plan& plan) const {
  if (!e_.host.zen || hides_loads(plan)) return true;
  return std::ranges::count_if(plan.phase->instrs, [&](int number) {
           const auto i = static_cast<size_t>(number);
           return !is_chosen_[i] && (is_choice_[i] || reads_vectors(instr(number)));
         }) > 1;
}

/// What a loop reads from memory; a choice of loads asks for the chosen one itself.
void KernelEmitter::emit_prefetches_ahead(const Plan& plan) {
  if (!asks_ahead(plan)) return;
  for (const int number : plan.phase->instrs) {
    const Instr& at = instr(number);
    if (!reads_vectors(at) || is_chosen_[static_cast<size_t>(number)]) continue;
    emit_prefetch_of_copies(number, distance_ahead(at));
  }
}

/// What masks hide, where it comes from memory.
void KernelEmitter::emit_prefetches_of_hidden(const Plan& plan) {
  if (hides_loads(plan)) emit_if(exceeds_caches(), [&] { emit_prefetches_ahead(plan); });
}

/// What columns read two rows on, where one row is walked after the other.
void KernelEmitter::emit_prefetches_of_next_rows(const Plan& plan) {
  constexpr uint64_t kAhead = 2;
  for (const int number : plan.phase->instrs) {
    const Instr& at = instr(number);
    const Affine::Term& row = at.address.terms[static_cast<size_t>(inner_dims_.back())];
    if (!reads_vectors(at) || row.stride != Stride::dynamic) continue;
    emit_prefetch_of_copies(number, e_.b.CreateMul(param(row.param), e_.b.getInt64(kAhead)));
  }
}

/// The loop behind the first that computes most: memory has time meanwhile.
bool KernelEmitter::asks_for_next_chunk(const Plan& plan) const {
  const Plan* most = nullptr;
  for (const Plan& other : plans_) {
    if (!other.phase->loop || &other == &loop_plan() || other.accumulates.empty()) continue;
    if (most == nullptr || work_of(*other.phase) > work_of(*most->phase)) most = &other;
  }
  return most == &plan;
}

/// What the first loop over columns will read of those behind, or of the next task's, where that
/// stays in a core's own cache until then.
void KernelEmitter::emit_prefetches_of_next_chunk(const Plan& plan) {
  if (!asks_for_next_chunk(plan)) return;
  auto& b = e_.b;
  emit_if(b.CreateAnd(chunk_is_near_, exceeds_caches()), [&] {
    for (const int number : plan.phase->instrs) {
      const Instr& at = instr(number);
      if (!reads_vectors(at) || is_of_column(number) || has_lanes_of_own(at.buffer)) continue;
      const auto is_same = [&](int other) {
        return access_of_[static_cast<size_t>(other)] == access_of_[static_cast<size_t>(number)];
      };
      if (std::ranges::none_of(loop_plan().phase->instrs, is_same)) continue;
      llvm::Value* distance = columns_ahead_;
      if (!task_dims_.empty()) {
        const Affine::Term& task = at.address.terms[static_cast<size_t>(task_dims_.back())];
        if (task.stride != Stride::dynamic) continue;
        llvm::Value* to_next_task = b.CreateSub(param(task.param), columns_back_);
        distance = b.CreateSelect(is_last_chunk_, to_next_task, distance);
      }
      emit_prefetch_of_copies(number, distance);
    }
  });
}

}  // namespace wick::codegen::llvm_jit
