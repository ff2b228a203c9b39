#include "wick/codegen/cuda/launch_geometry.h"

#include <algorithm>
#include <bit>

namespace wick::codegen::cuda {

namespace {

constexpr size_t kMostShared = size_t{96} << 10U;
/// Enough blocks for any device; more positions are walked with a grid's stride.
constexpr int64_t kMostBlocks = 1 << 16;
/// Blocks that have a slice of the workspace.
constexpr int64_t kWorkspaceBlocks = 264;

int64_t blocks_for(int64_t count, int64_t of_a_block) {
  return std::min((count + of_a_block - 1) / of_a_block, kMostBlocks);
}

size_t aligned(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

/// Bytes of the kernel's own memory for one outer position.
size_t own_bytes(const Kernel& kernel, const KernelForm& form, std::span<const int64_t> params) {
  size_t bytes = 0;
  int64_t count = 1;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].inner) count *= extent_of(kernel, params, d);
  }
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    const BufferArg& buffer = kernel.buffers[b];
    if (buffer.own_elements == 0 || is_held_alone(kernel, form, static_cast<int>(b))) continue;
    bytes += aligned(static_cast<size_t>(count) * size_of(buffer.dtype));
  }
  return bytes;
}

/// Threads that share the inner range of a column: more where there are few columns.
int threads_of_column(const Kernel& kernel, std::span<const int64_t> params, int state_bytes) {
  constexpr int64_t kThreadsWanted = 1 << 17;
  constexpr int64_t kFewestPositions = 4;  // of a thread
  constexpr int64_t kMost = 16;
  constexpr int64_t kMostStateBytes = 32 << 10;
  const int64_t columns = std::max<int64_t>(1, outer_count(kernel, params));
  const int64_t useful = std::max<int64_t>(1, inner_count(kernel, params) / kFewestPositions);
  int64_t threads = std::clamp<int64_t>((kThreadsWanted + columns - 1) / columns, 1, kMost);
  threads = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(threads, useful))));
  while (threads > 1 && threads * kWarp * state_bytes > kMostStateBytes)
    threads /= 2;
  return static_cast<int>(threads);
}

void set_block(LaunchGeometry& geometry,
               const Kernel& kernel,
               const KernelForm& form,
               std::span<const int64_t> params,
               int state_bytes) {
  if (mapping_of(kernel) == Mapping::rows) {
    constexpr int kWantedThreads = 128;
    const int threads = threads_of_row(kernel, form, params);
    geometry.block_x = static_cast<unsigned>(threads);
    // Rows side by side need no shared memory to reduce.
    geometry.block_y = form.alone ? 1 : static_cast<unsigned>(kWantedThreads / threads);
    return;
  }
  constexpr int kWantedThreads = 256;
  const int threads = threads_of_column(kernel, params, state_bytes);
  geometry.block_x = static_cast<unsigned>(std::max(kWarp, kWantedThreads / threads));
  geometry.block_y = static_cast<unsigned>(threads);
}

LaunchGeometry geometry_of_tiles(const Kernel& kernel,
                                 const KernelForm& form,
                                 std::span<const int64_t> params) {
  LaunchGeometry geometry{.block_x = kTile, .block_y = kElementwiseThreads / kTile};
  int64_t tiles = 1;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    const int64_t extent = extent_of(kernel, params, d);
    const auto dim = static_cast<int>(d);
    const bool is_cut = dim == form.tiled_dim || dim == kernel.vector_dim;
    tiles *= is_cut ? (extent + kTile - 1) / kTile : extent;
  }
  geometry.grid_x = static_cast<unsigned>(std::min(tiles, kMostBlocks));
  for (const Instr& instr : kernel.instrs) {
    if (is_transposed(kernel, instr, form.tiled_dim)) {
      geometry.shared_bytes += tile_bytes(instr.dtype);
    }
  }
  return geometry;
}

size_t bytes_of_states(const LaunchGeometry& geometry, Mapping mapping, int state_bytes) {
  const unsigned threads = geometry.block_x * geometry.block_y;
  const unsigned partials = mapping == Mapping::rows ? threads / kWarp : threads;
  return aligned(static_cast<size_t>(partials) * static_cast<size_t>(state_bytes));
}

}  // namespace

SharedStates shared_states(const Kernel& kernel) {
  std::vector<std::pair<int, int>> sizes;  // bytes of a State, instruction
  for (size_t i = 0; i < kernel.instrs.size(); ++i) {
    const Instr& instr = kernel.instrs[i];
    if (instr.kind != InstrKind::accumulate) continue;
    const int bytes = instr.op == ir::OpKind::argmax ? 16  // a position and a value
                      : is_half(instr.dtype)         ? 4
                                                     : static_cast<int>(size_of(instr.dtype));
    sizes.emplace_back(bytes, static_cast<int>(i));
  }
  std::ranges::stable_sort(sizes, std::greater<>(), &std::pair<int, int>::first);
  SharedStates states;
  for (const auto& [bytes, instr] : sizes) {
    states.entries.push_back({.instr = instr, .offset = states.bytes});
    states.bytes += bytes;
  }
  return states;
}

size_t tile_bytes(DType dtype) {
  return aligned(static_cast<size_t>(kTile) * (kTile + 1) * size_of(dtype));
}

LaunchGeometry launch_geometry(const Kernel& kernel,
                               const KernelForm& form,
                               std::span<const int64_t> params) {
  LaunchGeometry geometry;
  const int64_t positions = outer_count(kernel, params);
  const Mapping mapping = mapping_of(kernel);
  if (form.tiled_dim >= 0) return geometry_of_tiles(kernel, form, params);
  if (mapping == Mapping::elementwise) {
    geometry.block_x = kElementwiseThreads;
    const int64_t accesses = (positions + form.width - 1) / form.width;
    geometry.grid_x = static_cast<unsigned>(blocks_for(accesses, kElementwiseThreads));
    return geometry;
  }
  const int state_bytes = shared_states(kernel).bytes;
  set_block(geometry, kernel, form, params, state_bytes);
  const auto at_once =
      static_cast<int64_t>(mapping == Mapping::rows ? geometry.block_y : geometry.block_x);
  int64_t blocks = blocks_for(positions, at_once);
  geometry.shared_bytes = bytes_of_states(geometry, mapping, state_bytes);
  const size_t own = own_bytes(kernel, form, params) * static_cast<size_t>(at_once);
  if (geometry.shared_bytes + own <= kMostShared) {
    geometry.shared_bytes += own;
  } else {
    blocks = std::min(blocks, kWorkspaceBlocks);
    geometry.workspace_bytes = own * static_cast<size_t>(blocks);
  }
  geometry.grid_x = static_cast<unsigned>(blocks);
  return geometry;
}

}  // namespace wick::codegen::cuda
