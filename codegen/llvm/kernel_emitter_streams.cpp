// Stores past the caches. An ordinary store first reads the line that it writes to. When a kernel
// touches more than the last-level cache holds, nothing of that would be found there later, and a
// third of the traffic of a copy is saved.

#include <algorithm>
#include <map>

#include <llvm/IR/IntrinsicsX86.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// Vectors a turn where stores are ordinary ones. Zen 4 waits less for lines that are not in its
/// own cache when stores take turns of two: sums of a column and a row in [2000,2003] take 0.50 ms,
/// and 0.69 with turns of four. Sums have an accumulator for each vector of a turn, and what is
/// spread from long rows takes as long for any number of vectors: with turns of two 1.2 times.
int KernelEmitter::copies_of_cached_stores(int stream) const {
  constexpr int kFew = 2;
  const auto is_spread = [&](const Instr& at) { return is_spread_from_long_rows(at); };
  const bool depends_on_copies = kernel_.row_length > 0 || !accumulators_.empty() ||
                                 std::ranges::any_of(kernel_.instrs, is_spread);
  if (!e_.host.zen || depends_on_copies || !s_.is_bound_by_stores(stream)) return unroll_;
  return std::min(unroll_, kFew);
}

/// Of a whole launch. What lies between the blocks of columns that are walked as one are their
/// rows.
llvm::Value* KernelEmitter::bytes_of_access(const Access& access) {
  auto& b = e_.b;
  const Affine::Term& of_vector = access.address.terms[static_cast<size_t>(kernel_.vector_dim)];
  const bool holds_rows = of_vector.stride == Stride::block && of_vector.row_step != 0;
  const DType dtype = kernel_.buffers[static_cast<size_t>(access.buffer)].dtype;
  llvm::Value* bytes = b.getInt64(size_of(dtype));
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (holds_rows && kernel_.dims[d].inner) continue;
    const Stride stride = access.address.terms[d].stride;
    if (stride == Stride::one || stride == Stride::dynamic || stride == Stride::transposed)
      bytes = b.CreateMul(bytes, extent_of(static_cast<int>(d)));
    if (stride == Stride::block && access.address.terms[d].row_step != 0) {
      const auto step = static_cast<uint64_t>(std::abs(access.address.terms[d].row_step));
      bytes = b.CreateMul(bytes, b.CreateMul(extent_of(static_cast<int>(d)), b.getInt64(step)));
      bytes = b.CreateUDiv(bytes, b.getInt64(static_cast<uint64_t>(kernel_.row_length)));
    }
  }
  return bytes;
}

/// By the whole launch, of which this call may be a piece. Neighbours in one buffer are the same
/// memory, and loads under different conditions, as those of joined tensors, share the positions.
llvm::Value* KernelEmitter::bytes_touched() {
  auto& b = e_.b;
  constexpr int kAlways = -1;
  std::vector<int> predicates(accesses_.size(), kAlways);
  for (size_t i = 0; i < kernel_.instrs.size(); ++i) {
    const Instr& at = kernel_.instrs[i];
    if (at.kind == InstrKind::load && at.predicate >= 0 && access_of_[i] >= 0)
      predicates[static_cast<size_t>(access_of_[i])] = at.predicate;
  }
  const auto larger = [&](llvm::Value* one, llvm::Value* other) -> llvm::Value* {
    return one == nullptr ? other : b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, one, other);
  };
  std::map<int, std::map<int, llvm::Value*>> touched;  // of each buffer, by predicate
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (access.buffer < 0) continue;
    llvm::Value*& bytes = touched[predicates[i]][access.buffer];
    bytes = larger(bytes, bytes_of_access(access));
  }
  llvm::Value* always = b.getInt64(0);
  llvm::Value* sometimes = b.getInt64(0);
  for (const auto& [predicate, buffers] : touched) {
    llvm::Value* sum = b.getInt64(0);
    for (const auto& [buffer, bytes] : buffers)
      sum = b.CreateAdd(sum, bytes);
    if (predicate == kAlways) {
      always = sum;
    } else {
      sometimes = larger(sometimes, sum);
    }
  }
  return b.CreateAdd(always, sometimes);
}

/// Whether the whole launch touches more than the caches hold.
llvm::Value* KernelEmitter::exceeds_caches() {
  if (exceeds_caches_ != nullptr) return exceeds_caches_;
  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  bytes_touched_ = bytes_touched();
  exceeds_caches_ = b.CreateICmpSGT(bytes_touched_, cache_limit(e_.host.cache_bytes));
  return exceeds_caches_;
}

/// Whether it touches more than the core's own cache holds, if that is known: what lies behind it
/// is as far for a single launch as memory.
llvm::Value* KernelEmitter::exceeds_own_cache() {
  llvm::Value* exceeds = exceeds_caches();
  if (e_.host.own_cache_bytes == 0) return exceeds;
  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  return b.CreateICmpSGT(bytes_touched_,
                         b.getInt64(static_cast<uint64_t>(e_.host.own_cache_bytes)));
}

/// As far as this kernel's stores count on caches of so many bytes. Rows side by side, which are
/// written a part of a line at a time, each in another one, wait for lines long before: of 50003 by
/// 37 elements a log-softmax takes 0.54 ns an element past the caches, and 0.98 through them.
llvm::Value* KernelEmitter::cache_limit(int64_t bytes) {
  const bool writes_parts_of_lines = kernel_.has_short_rows() && !s_.staged().empty();
  return e_.b.getInt64(static_cast<uint64_t>(writes_parts_of_lines ? bytes / 2 : bytes));
}

/// Whether the launch stores more than the caches take: those of several cores take more where this
/// call is a piece of the launch. Not of what is transposed, which leaves no order in them: of
/// [4001,1000] on two threads 0.9 ms past the caches and 1.3 through them.
llvm::Value* KernelEmitter::stores_exceed_caches() {
  if (s_.reads_across() || !s_.staged().empty()) return exceeds_caches();
  if (stores_exceed_caches_ != nullptr) return stores_exceed_caches_;
  llvm::Value* exceed = exceeds_caches();
  auto& b = e_.b;
  const llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_->getTerminator());
  llvm::Value* all = b.getInt64(1);
  for (int d = 0; d < static_cast<int>(kernel_.dims.size()); ++d) {
    if (!kernel_.dims[static_cast<size_t>(d)].inner) all = b.CreateMul(all, extent_of(d));
  }
  const auto count = [&](unsigned begin) {
    return b.CreateSub(function_->getArg(begin + 1), function_->getArg(begin));
  };
  constexpr unsigned kTasks = 2;
  constexpr unsigned kVectors = 4;
  llvm::Value* is_piece = b.CreateICmpNE(b.CreateMul(count(kTasks), count(kVectors)), all);
  llvm::Value* of_threads =
      b.CreateICmpSGT(bytes_touched_, cache_limit(e_.host.cache_bytes_of_threads));
  stores_exceed_caches_ = b.CreateSelect(is_piece, of_threads, exceed);
  return stores_exceed_caches_;
}

/// Whether what the vector loop stores goes past the caches.
llvm::Value* KernelEmitter::streams_pay() {
  return s_.lenders().empty() ? stores_may_stream() : e_.b.CreateNot(rows_are_lent());
}

/// Where no rows are lent. On Zen lines that are written in two parts, as where short rows meet
/// that are no whole lines, are better put together in a cache: softmax of rows of 72 takes Zen
/// 5 8.7 ms, and 13.0 past the caches; of 1024 it takes as long.
llvm::Value* KernelEmitter::stores_may_stream() {
  if (!e_.host.zen || kernel_.has_flat_rows()) return stores_exceed_caches();
  auto& b = e_.b;
  constexpr int64_t kShortRow = 512;
  const auto kLine = static_cast<int64_t>(kCacheLine.value() / sizeof(float));
  llvm::Value* length = extent_of(kernel_.vector_dim);
  llvm::Value* part_of_line = b.CreateAnd(length, b.getInt64(kLine - 1));
  llvm::Value* fills_lines = b.CreateOr(b.CreateICmpSGT(length, b.getInt64(kShortRow)),
                                        b.CreateICmpEQ(part_of_line, b.getInt64(0)));
  return b.CreateAnd(stores_exceed_caches(), fills_lines);
}

/// Where the stream writes when the vector loop starts at `begin`, as a number.
llvm::Value* KernelEmitter::stream_start(int stream, llvm::Value* begin) {
  auto& b = e_.b;
  const Access& access = accesses_[static_cast<size_t>(access_of_[static_cast<size_t>(stream)])];
  llvm::Type* element = e_.storage_type(s_.instr(stream).dtype);
  return b.CreatePtrToInt(b.CreateInBoundsGEP(element, access.partial, begin), b.getInt64Ty());
}

/// From `begin` to the next line that the stream writes.
llvm::Value* KernelEmitter::elements_to_line(int stream, llvm::Value* begin) {
  auto& b = e_.b;
  llvm::Value* bytes =
      b.CreateAnd(b.CreateNeg(stream_start(stream, begin)), b.getInt64(kCacheLine.value() - 1));
  return b.CreateUDiv(bytes, b.getInt64(size_of(s_.instr(stream).dtype)));
}

/// As many, or none where no store goes past the caches.
llvm::Value* KernelEmitter::elements_to_streamed_line(int stream, llvm::Value* begin) {
  auto& b = e_.b;
  return b.CreateSelect(streams_pay(), elements_to_line(stream, begin), b.getInt64(0));
}

/// The bits of all places where these stores begin when the vector loop starts at `begin`.
llvm::Value* KernelEmitter::bits_of_starts(llvm::ArrayRef<int> streams, llvm::Value* begin) {
  llvm::Value* bits = e_.b.getInt64(0);
  for (const int stream : streams)
    bits = e_.b.CreateOr(bits, stream_start(stream, begin));
  return bits;
}

/// Whether lines begin at places of such bits.
llvm::Value* KernelEmitter::are_aligned(llvm::Value* bits) {
  auto& b = e_.b;
  return b.CreateICmpEQ(b.CreateAnd(bits, b.getInt64(kCacheLine.value() - 1)), b.getInt64(0));
}

/// Asks for the line that the stream leaves in part. The ordinary store to it would wait for
/// memory, and stores behind it wait for that: sums of rows of 2051 elements took 1.25 times as
/// long. Rows that are read before they are stored give it the time.
void KernelEmitter::emit_prefetch_of_last_line(int stream, llvm::Value* end) {
  auto& b = e_.b;
  llvm::Value* address = stream_start(stream, end);
  llvm::Value* within_line = b.CreateAnd(address, b.getInt64(kCacheLine.value() - 1));
  emit_if(b.CreateICmpNE(within_line, b.getInt64(0)), [&] {
    constexpr int kToWrite = 1;
    constexpr int kToFirstLevel = 3;
    constexpr int kData = 1;
    b.CreateIntrinsic(llvm::Intrinsic::prefetch,
                      {b.getPtrTy()},
                      {b.CreateIntToPtr(address, b.getPtrTy()),
                       b.getInt32(kToWrite),
                       b.getInt32(kToFirstLevel),
                       b.getInt32(kData)});
  });
}

/// Of rows whose loops leave something in memory of the function: those stores wait for the one
/// that ends the row before. Softmax of rows of 600 elements takes Zen 5 5.9 ms without and 4.7
/// with, of 2001 5.1 and 4.5. Longer rows have the line by then, and take a twentieth longer.
void KernelEmitter::emit_prefetches_of_row_ends() {
  constexpr int64_t kLongRow = 3072;
  const auto is_left = [&](const Instr& at) {
    return at.kind == InstrKind::store && s_.is_own(at.buffer);
  };
  if (!e_.host.zen5 || !kernel_.vector_is_inner() || s_.inner_dims().size() != 1) return;
  if (s_.row_in_registers() || kernel_.blocking || std::ranges::none_of(kernel_.instrs, is_left))
    return;
  llvm::SmallVector<int, 4> streams;
  for (const Plan& plan : s_.plans()) {
    if (plan.phase->loop) streams.append(s_.streams_of(plan));
  }
  if (streams.empty()) return;
  auto& b = e_.b;
  llvm::Value* length = extent_of(kernel_.vector_dim);
  llvm::Value* is_short = b.CreateICmpSLE(length, b.getInt64(kLongRow));
  emit_if(b.CreateAnd(streams_pay(), is_short), [&] {
    for (const int stream : streams)
      emit_prefetch_of_last_line(stream, length);
  });
}

llvm::StoreInst* KernelEmitter::store_past_caches(llvm::Value* value, llvm::Value* address) {
  auto& b = e_.b;
  llvm::StoreInst* store = b.CreateAlignedStore(value, address, kCacheLine);
  auto* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b.getContext(), one));
  return store;
}

void KernelEmitter::store_block(const Instr& at,
                                llvm::Value* value,
                                llvm::Value* address,
                                llvm::Value* mask) {
  auto& b = e_.b;
  llvm::Value* is_line =
      b.CreateICmpEQ(num_positions_, b.getInt64(static_cast<uint64_t>(e_.lanes)));
  llvm::Value* within_line =
      b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), b.getInt64(kCacheLine.value() - 1));
  is_line = b.CreateAnd(is_line, b.CreateICmpEQ(within_line, b.getInt64(0)));
  const auto store_cached = [&] {
    tag(b.CreateMaskedStore(value, address, llvm::Align(size_of(at.dtype)), mask), at.buffer);
  };
  emit_if(
      b.CreateAnd(stores_exceed_caches(), is_line),
      [&] { tag(store_past_caches(value, address), at.buffer); },
      store_cached);
}

/// Streaming stores are seen by other threads in any order until a fence.
void KernelEmitter::end_streams() {
  if (exceeds_caches_ == nullptr) return;
  auto& b = e_.b;
  emit_if(exceeds_caches_,
          [&] { b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {}); });
}

}  // namespace wick::codegen::llvm_jit
