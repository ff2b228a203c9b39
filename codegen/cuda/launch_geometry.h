#pragma once

// Grid, block and memory of a launch.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wick/codegen/cuda/kernel_form.h"

namespace wick::codegen::cuda {

/// Blocks of every kernel have at most so many threads.
inline constexpr int kElementwiseThreads = 256;
inline constexpr int kReductionThreads = 512;

/// Tiles are squares of so many positions; a row of one takes an element more, so that columns lie
/// in different banks of shared memory.
inline constexpr int kTile = 32;

struct LaunchGeometry {
  unsigned grid_x = 1;
  unsigned block_x = 1;
  unsigned block_y = 1;
  /// Dynamic shared memory of a block; above 48 KiB the function has to be told so first
  /// (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES). At most 96 KiB.
  size_t shared_bytes = 0;
  /// Global memory for the kernel's own values where shared memory does not hold them: the argument
  /// `workspace`, 16-byte aligned. 0: pass a null pointer.
  size_t workspace_bytes = 0;
  friend bool operator==(const LaunchGeometry&, const LaunchGeometry&) = default;
};

/// Decided by the shape alone. No launch is needed where grid_x is 0: there is no position.
LaunchGeometry launch_geometry(const Kernel& kernel,
                               const KernelForm& form,
                               std::span<const int64_t> params);

/// Partial results that threads exchange: one State an accumulator, the largest first, so that all
/// are aligned. Internal to codegen/cuda/.
struct SharedStates {
  struct Entry {
    int instr = 0;
    int offset = 0;  // bytes, to be multiplied by the number of partial results
  };

  std::vector<Entry> entries;
  int bytes = 0;  // of one partial result of all
};

SharedStates shared_states(const Kernel& kernel);

/// Bytes of shared memory that a tile of this dtype takes.
size_t tile_bytes(DType dtype);

}  // namespace wick::codegen::cuda
