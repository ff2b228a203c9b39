// Copies between memory that vectors cross and memory of the kernel's own: see staging.h.

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// As other accesses, so that loops decide their addresses.
void KernelEmitter::collect_staged_accesses() {
  for (const Staged& staged : staged_.accesses) {
    accesses_of_staged_.push_back(accesses_.size());
    accesses_.push_back({staged.buffer, staged.address, nullptr});
  }
}

llvm::Value* KernelEmitter::place_of_staged(size_t number) const {
  return accesses_[accesses_of_staged_[number]].partial;
}

void KernelEmitter::emit_staged_copy(size_t number,
                                     Transposing direction,
                                     llvm::Value* place,
                                     StagedBlock block) {
  auto& b = e_.b;
  const Staged& staged = staged_.accesses[number];
  const size_t bytes = size_of(kernel_.buffers[static_cast<size_t>(staged.own)].dtype);
  llvm::Function*& copy =
      transposing_copies_[{static_cast<int>(bytes), static_cast<int>(direction)}];
  if (copy == nullptr) copy = make_transposing_copy(e_, bytes, direction);
  const Affine::Term& row = staged.address.terms[static_cast<size_t>(kernel_.vector_dim)];
  b.CreateCall(copy,
               {place,
                param(row.param),
                start_of_buffer(staged.own),
                b.getInt64(static_cast<uint64_t>(block.stride)),
                block.rows,
                block.columns});
}

void KernelEmitter::emit_rows_staged(const std::function<void()>& body) {
  if (staged_.accesses.empty()) {
    body();
    return;
  }
  std::vector<llvm::Value*> places;
  const StagedBlock block{
      .stride = own_width_,
      .rows = num_positions_,
      .columns = param(kernel_.dims[static_cast<size_t>(inner_dims_.back())].extent_param)};
  for (size_t i = 0; i < staged_.accesses.size(); ++i) {
    places.push_back(place_of_staged(i));
    if (staged_.accesses[i].reads) emit_staged_copy(i, Transposing::into_columns, places[i], block);
  }
  body();
  for (size_t i = 0; i < staged_.accesses.size(); ++i) {
    if (staged_.accesses[i].writes) emit_staged_copy(i, Transposing::into_rows, places[i], block);
  }
}

/// Reads the tile, and lets its own memory begin there.
void KernelEmitter::stage_tile(const std::vector<llvm::Value*>& starts,
                               Range tasks,
                               Range vectors) {
  auto& b = e_.b;
  Scope scope = save_scope();
  for (size_t i = 0; i < task_dims_.size(); ++i)
    positions_[static_cast<size_t>(task_dims_[i])] = starts[i];
  positions_[static_cast<size_t>(kernel_.vector_dim)] = vectors.begin;
  enter_dims(task_dims_, nullptr);
  enter_dims({kernel_.vector_dim}, nullptr);
  llvm::Value* past_line =
      b.CreateSelect(exceeds_caches(),
                     b.getInt64(static_cast<uint64_t>(kTilePitch - kTileVectors - 1)),
                     b.getInt64(0));
  llvm::Value* end = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, b.CreateAdd(vectors.end, past_line), tiled_vectors_.end);
  const StagedBlock block{.stride = kTilePitch,
                          .rows = b.CreateSub(end, vectors.begin),
                          .columns = b.CreateSub(tasks.end, tasks.begin)};
  std::vector<llvm::Value*> places;
  for (size_t i = 0; i < staged_.accesses.size(); ++i)
    places.push_back(place_of_staged(i));
  restore_scope(std::move(scope));
  for (size_t i = 0; i < staged_.accesses.size(); ++i)
    emit_staged_copy(i, Transposing::into_columns, places[i], block);

  llvm::Value* first = b.CreateAdd(
      b.CreateMul(tasks.begin, b.getInt64(static_cast<uint64_t>(kTilePitch))), vectors.begin);
  for (Access& access : accesses_) {
    if (access.buffer < 0) continue;
    const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(access.buffer)];
    if (buffer.own_elements == 0) continue;
    access.partial = b.CreateGEP(e_.storage_type(buffer.dtype), access.partial, b.CreateNeg(first));
  }
}

/// Of one task's share in a tile, what begins and ends with a line of the stream: the tile's memory
/// reaches some elements into the next one, so that tiles share no line.
KernelEmitter::Range KernelEmitter::between_lines(Range tile, int stream) {
  auto& b = e_.b;
  const auto next_line = [&](llvm::Value* position, llvm::Value* border) {
    llvm::Value* line =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                b.CreateAdd(position, elements_to_line(stream, position)),
                                tiled_vectors_.end);
    return b.CreateSelect(b.CreateICmpEQ(position, border), position, line);
  };
  return {next_line(tile.begin, tiled_vectors_.begin), next_line(tile.end, tiled_vectors_.end)};
}

/// Tiles end where the last task dimension does.
void KernelEmitter::emit_staged_tiles(Range tasks, Range vectors) {
  auto& b = e_.b;
  tiled_vectors_ = vectors;
  llvm::Value* extent = nonzero_extent(task_dims_.back());
  llvm::Value* last =
      b.CreateUDiv(b.CreateAdd(tasks.end, b.CreateSub(extent, b.getInt64(1))), extent);
  loop(b.CreateUDiv(tasks.begin, extent), last, 1, [&](llvm::Value* outer) {
    std::vector<llvm::Value*> starts = positions_of(outer, llvm::ArrayRef(task_dims_).drop_back());
    starts.push_back(nullptr);
    llvm::Value* base = b.CreateMul(outer, extent);
    const Range within = {
        b.CreateBinaryIntrinsic(
            llvm::Intrinsic::smax, b.CreateSub(tasks.begin, base), b.getInt64(0)),
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(tasks.end, base), extent)};
    emit_tiles(within, vectors, [&](Range tile_tasks, Range tile_vectors) {
      starts.back() = tile_tasks.begin;
      stage_tile(starts, tile_tasks, tile_vectors);
      emit_tasks(tile_tasks, tile_vectors, starts);
    });
  });
}

}  // namespace wick::codegen::llvm_jit
