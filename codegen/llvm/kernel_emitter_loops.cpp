#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

namespace {

/// Vectors at once of what is left behind a loop over more.
constexpr int kCopiesOfRest = 4;

}  // namespace

Scope KernelEmitter::save_scope() const {
  Scope scope{.slots = slots_, .partials = {}, .positions = positions_};
  for (const Access& access : accesses_)
    scope.partials.push_back(access.partial);
  return scope;
}

void KernelEmitter::restore_scope(Scope scope) {
  slots_ = std::move(scope.slots);
  positions_ = std::move(scope.positions);
  for (size_t i = 0; i < accesses_.size(); ++i)
    accesses_[i].partial = scope.partials[i];
}

/// Tests before the first round and after each, so that the body is one block where it can be.
/// The accumulators travel through.
void KernelEmitter::loop(llvm::Value* begin,
                         llvm::Value* end,
                         llvm::Value* step,
                         const std::function<void(llvm::Value*)>& body) {
  auto& b = e_.b;
  Scope scope = save_scope();
  auto* before = b.GetInsertBlock();
  auto* block = llvm::BasicBlock::Create(b.getContext(), "loop", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "done", function_);
  b.CreateCondBr(b.CreateICmpSLT(begin, end), block, after);

  b.SetInsertPoint(block);
  llvm::PHINode* position = b.CreatePHI(b.getInt64Ty(), 2);
  position->addIncoming(begin, before);
  const std::vector<llvm::Value*> start = accumulators_;
  llvm::SmallVector<llvm::PHINode*, 8> carried;
  for (llvm::Value*& value : accumulators_) {
    carried.push_back(b.CreatePHI(value->getType(), 2));
    carried.back()->addIncoming(value, before);
    value = carried.back();
  }
  body(position);
  auto* latch = b.GetInsertBlock();
  llvm::Value* next = b.CreateNSWAdd(position, step);
  position->addIncoming(next, latch);
  for (size_t i = 0; i < carried.size(); ++i)
    carried[i]->addIncoming(accumulators_[i], latch);
  b.CreateCondBr(b.CreateICmpSLT(next, end), block, after);

  b.SetInsertPoint(after);
  for (size_t i = 0; i < carried.size(); ++i) {
    llvm::PHINode* result = b.CreatePHI(start[i]->getType(), 2);
    result->addIncoming(start[i], before);
    result->addIncoming(accumulators_[i], latch);
    accumulators_[i] = result;
  }
  restore_scope(std::move(scope));
}

/// Of as many steps as fit the range.
llvm::Value* KernelEmitter::end_of_whole_steps(Range range, int64_t step) {
  auto& b = e_.b;
  llvm::Value* count = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b.CreateSub(range.end, range.begin), b.getInt64(0));
  llvm::Value* rest = b.CreateURem(count, b.getInt64(static_cast<uint64_t>(step)));
  return b.CreateAdd(range.begin, b.CreateSub(count, rest));
}

/// Without the second body nothing happens where the condition is false.
void KernelEmitter::emit_if(llvm::Value* condition,
                            const std::function<void()>& then,
                            const std::function<void()>& otherwise) {
  auto& b = e_.b;
  auto* when_true = llvm::BasicBlock::Create(b.getContext(), "then", function_);
  auto* when_false =
      otherwise ? llvm::BasicBlock::Create(b.getContext(), "else", function_) : nullptr;
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function_);
  b.CreateCondBr(condition, when_true, otherwise ? when_false : after);
  b.SetInsertPoint(when_true);
  then();
  b.CreateBr(after);
  if (otherwise) {
    b.SetInsertPoint(when_false);
    otherwise();
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
}

/// The values of the one body or the other, as many.
Values KernelEmitter::emit_either(llvm::Value* condition,
                                  const std::function<Values()>& then,
                                  const std::function<Values()>& otherwise) {
  auto& b = e_.b;
  Values values;
  Values others;
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* other = nullptr;
  emit_if(
      condition,
      [&] {
        values = then();
        from = b.GetInsertBlock();
      },
      [&] {
        others = otherwise();
        other = b.GetInsertBlock();
      });
  for (size_t i = 0; i < values.size(); ++i) {
    llvm::PHINode* either = b.CreatePHI(values[i]->getType(), 2);
    either->addIncoming(values[i], from);
    either->addIncoming(others[i], other);
    values[i] = either;
  }
  return values;
}

/// Tasks and vectors in tiles that read each line as long as it is in the nearest cache.
void KernelEmitter::emit_tiles(Range tasks,
                               Range vectors,
                               const std::function<void(Range, Range)>& body) {
  auto& b = e_.b;
  const auto tile_at = [&](llvm::Value* begin, llvm::Value* size, Range whole) -> Range {
    llvm::Value* after = b.CreateAdd(begin, size);
    return {begin, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, after, whole.end)};
  };
  llvm::Value* size =
      b.CreateSelect(exceeds_caches(), b.getInt64(kLongTileVectors), b.getInt64(kTileVectors));
  loop(tasks.begin, tasks.end, kTileTasks, [&](llvm::Value* task) {
    const Range tile_tasks = tile_at(task, b.getInt64(kTileTasks), tasks);
    loop(vectors.begin, vectors.end, size, [&](llvm::Value* vector) {
      body(tile_tasks, tile_at(vector, size, vectors));
    });
  });
}

/// The tasks of a line in turns, some vectors of each, where what they share would have left the
/// core's own cache before the next one: of 3333333 pixels, which lie channel behind channel, three
/// channels are separated in 0.25 ns an element, and 0.40 one after the other.
void KernelEmitter::emit_near_tasks(Range tasks, Range vectors) {
  constexpr uint64_t kFewElements = 4096;
  auto& b = e_.b;
  llvm::Value* all = b.CreateSub(vectors.end, vectors.begin);
  const int64_t own_cache =
      e_.host.own_cache_bytes > 0 ? e_.host.own_cache_bytes : e_.host.cache_bytes;
  const int64_t most = own_cache / s_.bytes_that_tasks_share();
  llvm::Value* leave = b.CreateICmpSGT(all, b.getInt64(static_cast<uint64_t>(most)));
  llvm::Value* size = b.CreateSelect(leave, b.getInt64(kFewElements), all);
  for_each_line(tasks, [&](std::vector<llvm::Value*> starts, Range line) {
    starts.push_back(line.begin);
    loop(vectors.begin, vectors.end, size, [&](llvm::Value* begin) {
      llvm::Value* end =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(begin, size), vectors.end);
      emit_tasks(line, {begin, end}, starts);
    });
  });
}

/// The row-major position `number` of these dimensions.
std::vector<llvm::Value*> KernelEmitter::positions_of(llvm::Value* number,
                                                      llvm::ArrayRef<int> dims) {
  auto& b = e_.b;
  std::vector<llvm::Value*> positions(dims.size());
  for (size_t i = dims.size(); i-- > 1;) {
    llvm::Value* extent = nonzero_extent(dims[i]);
    positions[i] = b.CreateURem(number, extent);
    number = b.CreateUDiv(number, extent);
  }
  if (!dims.empty()) positions[0] = number;
  return positions;
}

/// Tasks by positions of all task dimensions but the last, with the range of that.
void KernelEmitter::for_each_line(
    Range tasks, const std::function<void(const std::vector<llvm::Value*>&, Range)>& body) {
  auto& b = e_.b;
  llvm::Value* extent = nonzero_extent(s_.task_dims().back());
  llvm::Value* end =
      b.CreateUDiv(b.CreateAdd(tasks.end, b.CreateSub(extent, b.getInt64(1))), extent);
  loop(b.CreateUDiv(tasks.begin, extent), end, 1, [&](llvm::Value* number) {
    const std::vector<llvm::Value*> starts = positions_of(number, s_.task_dims().drop_back());
    llvm::Value* before = b.CreateMul(number, extent);
    llvm::Value* first = b.CreateBinaryIntrinsic(
        llvm::Intrinsic::smax, b.CreateSub(tasks.begin, before), b.getInt64(0));
    llvm::Value* last =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(tasks.end, before), extent);
    body(starts, {first, last});
  });
}

/// An empty kernel has no task, but divisions by extents are reached all the same.
llvm::Value* KernelEmitter::nonzero_extent(int dim) {
  llvm::Value* extent = extent_of(dim);
  return e_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, extent, e_.b.getInt64(1));
}

/// Tasks that start at these positions of the task dimensions.
void KernelEmitter::emit_tasks(Range tasks,
                               Range vectors,
                               const std::vector<llvm::Value*>& starts) {
  if (s_.rows_together() > 1) {
    if (s_.row_in_registers()) return emit_groups_of_rows_in_registers(tasks);
    return emit_groups_of_rows(tasks);
  }
  const auto emit_each = [&] {
    for_each_task(tasks, starts, [&] {
      enter_dims(s_.task_dims(), nullptr);
      borrow_rows();
      emit_task(vectors);
    });
  };
  if (!s_.walks_bound_rows()) return emit_each();
  emit_if(may_walk_bound_rows(vectors), [&] { emit_bound_rows(tasks, starts); }, emit_each);
}

/// Counted up like an odometer.
void KernelEmitter::for_each_task(Range tasks,
                                  const std::vector<llvm::Value*>& starts,
                                  const std::function<void()>& body) {
  auto& b = e_.b;
  const size_t count = s_.task_dims().size();
  accumulators_ = starts;  // the odometer travels as accumulators do
  loop(tasks.begin, tasks.end, 1, [&](llvm::Value*) {
    const std::vector<llvm::Value*> odometer = std::exchange(accumulators_, {});
    for (size_t i = 0; i < count; ++i) {
      positions_[static_cast<size_t>(s_.task_dims()[i])] = odometer[i];
    }
    body();
    std::vector<llvm::Value*> next(count);
    llvm::Value* carry = b.getTrue();
    for (size_t i = count; i-- > 0;) {
      llvm::Value* sum = b.CreateAdd(odometer[i], b.CreateZExt(carry, b.getInt64Ty()));
      if (i > 0) {
        carry = b.CreateICmpEQ(sum, extent_of(s_.task_dims()[i]));
        sum = b.CreateSelect(carry, b.getInt64(0), sum);
      }
      next[i] = sum;
    }
    accumulators_ = next;
  });
  accumulators_.clear();
}

void KernelEmitter::emit_task(Range vectors) {
  if (kernel_.vector_is_inner()) {
    copies_ = 1;
    emit_phases();
    return;
  }
  if (s_.columns_in_memory()) return emit_columns(vectors);
  if (kernel_.row_length_param >= 0) copy_columns_of_long_rows();
  if (s_.inner_dims().empty()) {
    for (const Plan& plan : s_.plans())
      emit_level(plan, kTaskLevel, kTaskLevel);
  }
  llvm::SmallVector<int, 4> streams;
  if (s_.inner_dims().empty() && s_.plans().size() == 1) streams = s_.streams_of(s_.plans()[0]);
  const Range range = tiled_vectors_.begin == nullptr || streams.empty()
                          ? vectors
                          : between_lines(vectors, streams[0]);
  emit_sections(range, streams, [&](Range section, llvm::ArrayRef<int> streams_of_section) {
    emit_vector_loops(section.begin, section.end, streams_of_section, [&] {
      enter_dims({kernel_.vector_dim}, nullptr);
      if (in_stream_loop_) {
        emit_prefetches_ahead(s_.plans()[0]);
      } else if (s_.inner_dims().empty()) {
        for (const Plan& plan : s_.plans())
          emit_prefetches_of_hidden(plan);
      }
      if (s_.inner_dims().empty() || s_.stages_strips()) {
        emit_phases();
      } else {
        emit_rows_staged([&] { emit_phases(); });
      }
    });
  });
}

/// A main loop over whole groups of `unroll_` vectors and a masked loop over what is left, which
/// takes as many as four vectors at once from a wide strip of columns. When the body is so large
/// that it is not unrolled and masks are cheap, the masked loop does it all.
void KernelEmitter::emit_vector_loops(llvm::Value* begin,
                                      llvm::Value* end,
                                      llvm::ArrayRef<int> streams,
                                      const std::function<void()>& body) {
  in_vector_loop_ = true;
  if (s_.has_few_columns() || kernel_.has_flat_columns()) {
    if (s_.has_few_columns()) {
      emit_few_columns({begin, end}, body);
    } else {
      emit_flat_columns({begin, end}, body);
    }
    copies_ = 1;
    in_vector_loop_ = false;
    return;
  }
  if (kernel_.row_length > 0) {
    begin = emit_head_of_flat_rows(begin, end, body);
  } else if (!streams.empty() && accumulators_.empty()) {
    // Where lines begin must not decide the order of a sum.
    begin = emit_head(begin, end, streams[0], body);
  }
  llvm::Value* main_end = begin;
  if (unroll_ > 1 || kernel_.row_length > 0 || !e_.host.avx512) {
    if (kernel_.row_length > 0) start_flat_rows(begin);
    const int64_t step = int64_t{e_.lanes} * unroll_;
    main_end = end_of_whole_steps({begin, end}, step);
    main_end = emit_main_loop(begin, main_end, end, streams, body);
    at_row_start_ = false;
  }
  int copies_of_rest = unroll_ > kCopiesOfRest ? kCopiesOfRest : 1;
  if (s_.avoids_masks() && s_.may_compute_twice()) {
    main_end = emit_last_vectors({begin, end}, main_end, streams, body);
  } else if ((!s_.cuts().empty() || s_.avoids_masks()) && unroll_ > 1) {
    main_end = emit_whole_vectors(main_end, end, body);
    copies_of_rest = 1;
  }
  if (!s_.has_whole_vectors()) emit_masked_loop({main_end, end}, copies_of_rest, body);
  copies_ = 1;
  in_vector_loop_ = false;
}

/// So many vectors at a time without masks, none of which begins behind `last`.
void KernelEmitter::emit_unmasked_loop(Range range,
                                       int copies,
                                       llvm::Value* last,
                                       const std::function<void()>& body) {
  auto& b = e_.b;
  const int64_t step = int64_t{e_.lanes} * copies;
  copies_ = copies;
  num_positions_ = b.getInt64(static_cast<uint64_t>(step));
  loop(range.begin, range.end, step, [&](llvm::Value* position) {
    if (last != nullptr) position = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, position, last);
    positions_[static_cast<size_t>(kernel_.vector_dim)] = position;
    body();
  });
}

/// As many as there are between `rest` and the end; returns where they end.
llvm::Value* KernelEmitter::emit_whole_vectors(llvm::Value* rest,
                                               llvm::Value* end,
                                               const std::function<void()>& body) {
  auto& b = e_.b;
  for (int copies = unroll_ > kCopiesOfRest ? kCopiesOfRest : 1; copies >= 1;
       copies /= kCopiesOfRest) {
    const auto step = static_cast<uint64_t>(int64_t{e_.lanes} * copies);
    llvm::Value* part = b.CreateURem(b.CreateSub(end, rest), b.getInt64(step));
    llvm::Value* whole_end = b.CreateSub(end, part);
    emit_unmasked_loop({rest, whole_end}, copies, nullptr, body);
    rest = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, rest, whole_end);
  }
  return rest;
}

/// Those behind `rest`, the last of which ends where the range does, if that is as long as one;
/// returns where they end. Of short ranges, where it pays (rows of 17 to 63 elements: 0.4 to 0.6 of
/// the time), and not behind stores past the caches: their last line would be read again.
llvm::Value* KernelEmitter::emit_last_vectors(Range range,
                                              llvm::Value* rest,
                                              llvm::ArrayRef<int> streams,
                                              const std::function<void()>& body) {
  auto& b = e_.b;
  constexpr int64_t kShort = 512;
  const auto lanes = static_cast<uint64_t>(e_.lanes);
  llvm::Value* length = b.CreateSub(range.end, range.begin);
  llvm::Value* is_whole = b.CreateAnd(b.CreateICmpSGE(length, b.getInt64(lanes)),
                                      b.CreateICmpSLE(length, b.getInt64(kShort)));
  if (!streams.empty()) is_whole = b.CreateAnd(is_whole, b.CreateNot(streams_pay()));
  llvm::Value* end = b.CreateSelect(is_whole, range.end, rest);
  emit_unmasked_loop({rest, end}, 1, b.CreateSub(range.end, b.getInt64(lanes)), body);
  return end;
}

/// Walks up to where the stream's lines begin, and returns that: rows of odd lengths start
/// anywhere. An ordinary store of a vector as long as a line would write to two of them: of
/// [1000,1003] with a row added, in the caches, a tenth of the time.
llvm::Value* KernelEmitter::emit_head(llvm::Value* begin,
                                      llvm::Value* end,
                                      int stream,
                                      const std::function<void()>& body) {
  auto& b = e_.b;
  const bool vector_is_line = e_.lanes * size_of(s_.instr(stream).dtype) == kCacheLine.value();
  llvm::Value* length = vector_is_line && s_.is_bound_by_stores(stream)
                            ? elements_to_line(stream, begin)
                            : elements_to_streamed_line(stream, begin);
  llvm::Value* head_end =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, b.CreateAdd(begin, length));
  emit_masked_loop({begin, head_end}, 1, body);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, head_end);
}

/// So many vectors at a time, of the lanes there are.
void KernelEmitter::emit_masked_loop(Range range, int copies, const std::function<void()>& body) {
  auto& b = e_.b;
  const auto elements = [&](int vectors) {
    return b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * vectors));
  };
  copies_ = copies;
  loop(range.begin, range.end, int64_t{e_.lanes} * copies, [&](llvm::Value* position) {
    positions_[static_cast<size_t>(kernel_.vector_dim)] = position;
    llvm::Value* remaining = b.CreateSub(range.end, position);
    num_positions_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, remaining, elements(copies));
    for (int copy = 0; copy < copies; ++copy)
      masks_.push_back(lane_mask(b.CreateSub(remaining, elements(copy))));
    body();
    masks_.clear();
  });
}

/// In two versions when stores may go past the caches, which then go as far as there are whole
/// lines; returns where they end.
llvm::Value* KernelEmitter::emit_main_loop(llvm::Value* begin,
                                           llvm::Value* main_end,
                                           llvm::Value* end,
                                           llvm::ArrayRef<int> streams,
                                           const std::function<void()>& body) {
  auto& b = e_.b;
  const auto emit_loop = [&](llvm::Value* from, llvm::Value* to, int copies) {
    copies_ = copies;
    const int64_t step = int64_t{e_.lanes} * copies;
    llvm::Value* last = b.CreateSub(to, b.getInt64(static_cast<uint64_t>(step)));
    llvm::Value* ends = b.CreateAdd(from, last);
    loop(from, to, step, [&](llvm::Value* position) {
      if (walks_back_) position = b.CreateSub(ends, position);
      positions_[static_cast<size_t>(kernel_.vector_dim)] = position;
      num_positions_ = b.getInt64(static_cast<uint64_t>(int64_t{e_.lanes} * copies));
      body();
    });
  };
  if (streams.empty()) {
    emit_loop(begin, main_end, unroll_);
    return main_end;
  }
  auto* streaming = llvm::BasicBlock::Create(b.getContext(), "streaming", function_);
  auto* cached = llvm::BasicBlock::Create(b.getContext(), "cached", function_);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "stored", function_);
  llvm::Value* streams_now =
      b.CreateAnd(streams_pay(), are_aligned(bits_of_starts(streams, begin)));
  b.CreateCondBr(streams_now, streaming, cached);
  const std::vector<llvm::Value*> start = accumulators_;
  b.SetInsertPoint(streaming);
  in_stream_loop_ = true;
  if (!kernel_.vector_is_inner()) {
    for (const int stream : streams)
      emit_prefetch_of_last_line(stream, end);
  }
  emit_loop(begin, main_end, unroll_);
  llvm::Value* streaming_end = main_end;
  const int vectors_of_line =
      std::max(static_cast<int>(kCacheLine.value() / sizeof(float)) / e_.lanes, 1);
  if (accumulators_.empty() && kernel_.row_length == 0 && unroll_ > vectors_of_line) {
    const auto step = static_cast<uint64_t>(int64_t{e_.lanes} * vectors_of_line);
    llvm::Value* rest =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(end, main_end), b.getInt64(0));
    llvm::Value* part_of_line = b.CreateURem(rest, b.getInt64(step));
    streaming_end = b.CreateAdd(main_end, b.CreateSub(rest, part_of_line));
    emit_loop(main_end, streaming_end, vectors_of_line);
  }
  in_stream_loop_ = false;
  llvm::BasicBlock* last_streaming = b.GetInsertBlock();
  const std::vector<llvm::Value*> streamed = std::exchange(accumulators_, start);
  b.CreateBr(after);
  b.SetInsertPoint(cached);
  emit_loop(begin, main_end, copies_of_cached_stores(streams[0]));
  llvm::BasicBlock* last_cached = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  const auto either = [&](llvm::Value* of_streaming, llvm::Value* of_cached) {
    llvm::PHINode* result = b.CreatePHI(of_cached->getType(), 2);
    result->addIncoming(of_streaming, last_streaming);
    result->addIncoming(of_cached, last_cached);
    return result;
  };
  for (size_t i = 0; i < start.size(); ++i)
    accumulators_[i] = either(streamed[i], accumulators_[i]);
  return either(streaming_end, main_end);
}

/// The first `remaining` lanes; none when that is negative.
llvm::Value* KernelEmitter::lane_mask(llvm::Value* remaining) {
  auto& b = e_.b;
  llvm::Value* bounded = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, remaining, b.getInt64(static_cast<uint64_t>(e_.lanes)));
  llvm::Value* limit = e_.splat(b.CreateTrunc(bounded, b.getInt32Ty()));
  return b.CreateICmpSLT(e_.iota(b.getInt32Ty()), limit);
}

llvm::Value* KernelEmitter::mask_of_copy(int copy) const {
  if (masks_.empty()) return nullptr;
  return masks_[s_.copy_dim() == kernel_.vector_dim ? static_cast<size_t>(copy) : 0];
}

Range KernelEmitter::inner_range(int dim) {
  auto& b = e_.b;
  llvm::Value* extent = extent_of(dim);
  if (!kernel_.blocking || kernel_.blocking->inner != dim) return {b.getInt64(0), extent};
  llvm::Value* size = param(kernel_.blocking->size_param);
  llvm::Value* block = positions_[static_cast<size_t>(kernel_.blocking->outer)];
  llvm::Value* begin = b.CreateMul(block, size);
  llvm::Value* end =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(begin, size), extent);
  return {begin, end};
}

}  // namespace wick::codegen::llvm_jit
