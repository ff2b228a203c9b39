#include "wick/runtime/cuda/native/stable_sort.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace wick::runtime::cuda {
namespace {

constexpr int64_t kFewestSlots = 512;  // of a block: short lanes share one

int64_t slots_of(const SortParameters& sort) {
  return std::max(sort.tile, kFewestSlots);
}

}  // namespace

SortParameters sort_parameters(const StableSort& sort, const NativeLimits& limits) {
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(sort.extent)));
  return {.lanes = sort.lanes,
          .extent = sort.extent,
          .inner = sort.inner,
          .tile = std::min(whole, limits.sorted_at_once),
          .key_argument = sort.key_argument};
}

LaunchShape shape_for_tiles(const SortParameters& sort,
                            size_t key_bytes,
                            const NativeLimits& limits) {
  const int64_t slots = slots_of(sort);
  const int64_t tiles = sort.lanes * ((sort.extent + sort.tile - 1) / sort.tile);
  const int64_t of_a_block = slots / sort.tile;
  LaunchShape shape = grid_for_blocks(
      (tiles + of_a_block - 1) / of_a_block, static_cast<unsigned>(slots / 2), limits);
  shape.shared_bytes = static_cast<unsigned>(static_cast<size_t>(slots) * (key_bytes + 4));
  return shape;
}

SortedBuffers add_stable_sort(NativeProgram& program,
                              const StableSort& sort,
                              BufferArgument source,
                              const NativeLimits& limits) {
  const SortParameters parameters = sort_parameters(sort, limits);
  const int64_t elements = sort.lanes * sort.extent;
  const auto reserve = [&] {
    return SortedBuffers{program.reserve(static_cast<size_t>(elements) * sort.key_bytes),
                         program.reserve(static_cast<size_t>(elements) * 4)};
  };
  SortedBuffers sorted = reserve();
  program.launches.push_back(native_launch("sort_tiles",
                                           shape_for_tiles(parameters, sort.key_bytes, limits),
                                           {source, sorted.keys, sorted.positions},
                                           parameters));
  if (is_one_tile(parameters)) return sorted;
  SortedBuffers other = reserve();
  for (int64_t run = parameters.tile; run < sort.extent; run *= 2) {
    const MergeParameters merge{.lanes = sort.lanes, .extent = sort.extent, .run = run};
    program.launches.push_back(
        native_launch("merge_runs",
                      grid_for_threads(elements, limits),
                      {sorted.keys, sorted.positions, other.keys, other.positions},
                      merge));
    std::swap(sorted, other);
  }
  return sorted;
}

}  // namespace wick::runtime::cuda
