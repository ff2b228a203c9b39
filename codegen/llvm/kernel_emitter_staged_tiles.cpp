// Tiles of elementwise kernels of which operands are stored transposed: see staging.h.

#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/kernel_emitter.h"

namespace wick::codegen::llvm_jit {

/// From memory it asks meanwhile for the tile behind, whose rows are those behind these, or what
/// follows in the first rows.
void KernelEmitter::emit_staged_tile(size_t number,
                                     llvm::Value* place,
                                     StagedBlock block,
                                     Range vectors) {
  auto& b = e_.b;
  const Staged& staged = s_.staged()[number];
  const DType dtype = kernel_.buffers[static_cast<size_t>(staged.own)].dtype;
  llvm::Value* stride = stride_of_staged(number);
  llvm::Value* behind = b.CreateSub(vectors.end, vectors.begin);
  llvm::Value* back = b.CreateSub(tiled_vectors_.begin, vectors.begin);
  llvm::Value* is_last = b.CreateICmpSGE(vectors.end, tiled_vectors_.end);
  llvm::Value* distance = b.CreateMul(b.CreateSelect(is_last, back, behind), stride);
  distance = b.CreateAdd(distance, b.CreateSelect(is_last, block.columns, b.getInt64(0)));
  b.CreateCall(transposing_copy({.element_bytes = size_of(dtype),
                                 .direction = Transposing::into_columns,
                                 .pitch = block.pitch,
                                 .asked_columns = kTileTasks}),
               {place,
                stride,
                start_of_buffer(staged.own),
                block.rows,
                block.columns,
                b.CreateGEP(e_.storage_type(dtype), place, distance),
                exceeds_caches()});
}

/// Reads the tile, and lets its own memory begin there, as that of lines.
void KernelEmitter::stage_tile(const std::vector<llvm::Value*>& starts,
                               Range tasks,
                               Range vectors) {
  auto& b = e_.b;
  Scope scope = save_scope();
  for (size_t i = 0; i < s_.task_dims().size(); ++i)
    positions_[static_cast<size_t>(s_.task_dims()[i])] = starts[i];
  positions_[static_cast<size_t>(kernel_.vector_dim)] = vectors.begin;
  enter_dims(s_.task_dims(), nullptr);
  enter_dims({kernel_.vector_dim}, nullptr);
  llvm::Value* past_line =
      b.CreateSelect(exceeds_caches(),
                     b.getInt64(static_cast<uint64_t>(kTilePitch - kLongTileVectors - 1)),
                     b.getInt64(0));
  llvm::Value* end = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin, b.CreateAdd(vectors.end, past_line), tiled_vectors_.end);
  const StagedBlock block{.pitch = kTilePitch,
                          .rows = b.CreateSub(end, vectors.begin),
                          .columns = b.CreateSub(tasks.end, tasks.begin)};
  std::vector<llvm::Value*> places;
  for (size_t i = 0; i < s_.staged().size(); ++i)
    places.push_back(place_of_staged(i));
  std::vector<llvm::Value*> places_of_lines;
  for (const TileLines& lines : lines_of_tile_)
    places_of_lines.push_back(accesses_[lines.access].partial);
  restore_scope(std::move(scope));
  for (size_t i = 0; i < s_.staged().size(); ++i)
    emit_staged_tile(i, places[i], block, vectors);

  let_own_memory_begin_at(b.CreateAdd(
      b.CreateMul(tasks.begin, b.getInt64(static_cast<uint64_t>(kTilePitch))), vectors.begin));
  start_lines(places_of_lines, tasks, vectors);
}

void KernelEmitter::make_lines_of_tile() {
  for (const int stream : s_.streams_of_tiles()) {
    const DType dtype = s_.instr(stream).dtype;
    llvm::Value* own = make_own_memory(e_.storage_type(dtype), kTileTasks * kernel_.row_bound);
    const auto access = static_cast<size_t>(access_of_[static_cast<size_t>(stream)]);
    lines_of_tile_.push_back({.access = access, .bytes = size_of(dtype), .own = own});
  }
}

/// Where the tile's rows are whole, lie behind each other and are lines, from the first to the last
/// one, and nothing of them would be found in a cache later.
void KernelEmitter::start_lines(llvm::ArrayRef<llvm::Value*> places, Range tasks, Range vectors) {
  if (lines_of_tile_.empty()) return;
  auto& b = e_.b;
  llvm::Value* length = extent_of(kernel_.vector_dim);
  llvm::Value* elements = b.CreateMul(b.CreateSub(tasks.end, tasks.begin), length);
  tile_has_lines_ = b.CreateAnd(exceeds_caches(), b.CreateICmpEQ(vectors.begin, b.getInt64(0)));
  tile_has_lines_ = b.CreateAnd(tile_has_lines_, b.CreateICmpEQ(vectors.end, length));
  llvm::Value* bits = b.getInt64(0);
  for (size_t i = 0; i < places.size(); ++i) {
    TileLines& lines = lines_of_tile_[i];
    const Affine& address = accesses_[lines.access].address;
    llvm::Value* stride = stride_of(address, s_.task_dims().back());
    tile_has_lines_ = b.CreateAnd(tile_has_lines_, b.CreateICmpEQ(stride, length));
    lines.place = places[i];
    lines.end = b.CreateMul(elements, b.getInt64(lines.bytes));
    bits = b.CreateOr(bits, b.CreateOr(b.CreatePtrToInt(lines.place, b.getInt64Ty()), lines.end));
  }
  tile_has_lines_ = b.CreateAnd(tile_has_lines_, are_aligned(bits));
  for (const TileLines& lines : lines_of_tile_) {
    llvm::Value*& partial = accesses_[lines.access].partial;
    llvm::Value* before = b.CreatePtrDiff(b.getInt8Ty(), partial, lines.place);
    llvm::Value* moved = b.CreateGEP(b.getInt8Ty(), lines.own, before);
    partial = b.CreateSelect(tile_has_lines_, moved, partial);
  }
}

/// Past the caches.
void KernelEmitter::end_lines() {
  if (lines_of_tile_.empty()) return;
  emit_if(tile_has_lines_, [&] {
    for (const TileLines& lines : lines_of_tile_)
      emit_lines_past_caches(lines.own, lines.place, lines.end);
  });
}

/// Of one task's share in a tile, what begins and ends with a line of the stream: the tile's memory
/// reaches some elements into the next one, so that tiles share no line.
Range KernelEmitter::between_lines(Range tile, int stream) {
  auto& b = e_.b;
  const auto next_line = [&](llvm::Value* position, llvm::Value* border) {
    llvm::Value* line =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                b.CreateAdd(position, elements_to_streamed_line(stream, position)),
                                tiled_vectors_.end);
    return b.CreateSelect(b.CreateICmpEQ(position, border), position, line);
  };
  return {next_line(tile.begin, tiled_vectors_.begin), next_line(tile.end, tiled_vectors_.end)};
}

/// Tiles end where the last task dimension does.
void KernelEmitter::emit_staged_tiles(Range tasks, Range vectors) {
  tiled_vectors_ = vectors;
  make_lines_of_tile();
  for_each_line(tasks, [&](std::vector<llvm::Value*> starts, Range line) {
    starts.push_back(nullptr);
    emit_tiles(line, vectors, [&](Range tile_tasks, Range tile_vectors) {
      starts.back() = tile_tasks.begin;
      stage_tile(starts, tile_tasks, tile_vectors);
      emit_tasks(tile_tasks, tile_vectors, starts);
      end_lines();
    });
  });
}

}  // namespace wick::codegen::llvm_jit
