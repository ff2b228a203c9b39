#pragma once

// The launches of stable_sort.cuh. Internal to runtime/cuda/native/.

#include "wick/runtime/cuda/native/native_program.h"
#include "wick/runtime/cuda/native/parameters.h"

namespace wick::runtime::cuda {

struct StableSort {
  int64_t lanes = 1;
  int64_t extent = 1;
  int64_t inner = 1;  // see SortParameters
  size_t key_bytes = 4;
  int64_t key_argument = 0;
};

/// Keys and positions are 32-bit numbers, so lanes are shorter.
constexpr int64_t kLongestSorted = int64_t{1} << 32;

SortParameters sort_parameters(const StableSort& sort, const NativeLimits& limits);

/// A lane is one tile: sort_each_tile does it all.
inline bool is_one_tile(const SortParameters& sort) {
  return sort.extent <= sort.tile;
}

/// Of a kernel that calls sort_each_tile.
LaunchShape shape_for_tiles(const SortParameters& sort,
                            size_t key_bytes,
                            const NativeLimits& limits);

/// Both [lanes, extent].
struct SortedBuffers {
  BufferArgument keys;
  BufferArgument positions;  // u32, in the lane
};

/// Adds what sorts the keys of `source`. There is an element at least.
SortedBuffers add_stable_sort(NativeProgram& program,
                              const StableSort& sort,
                              BufferArgument source,
                              const NativeLimits& limits);

}  // namespace wick::runtime::cuda
