#pragma once

// Memory that a kernel's vectors cross, each lane in another row: transposed operands of
// elementwise kernels, plain images where these walk blocks of channels, and short rows, which are
// walked side by side. It goes through memory of the kernel's own, where vectors lie in one piece,
// block by block by transposing copies.

#include <vector>

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen::llvm_jit {

/// An access of the kernel as it was given, and the buffer that stands for it.
struct Staged {
  int buffer = -1;
  Affine address;
  int predicate = -1;  // of a short vector's lanes
  int own = -1;
  bool reads = false;
  bool writes = false;
};

struct StagedKernel {
  Kernel kernel;
  std::vector<Staged> accesses;
};

/// A tile of an elementwise kernel: positions of the last task dimension, six lines of floats, and
/// of the vector one.
inline constexpr int64_t kTileTasks = 96;
inline constexpr int64_t kTileVectors = 256;
/// Its tasks are so many elements apart: up to a line that begins in the tile reaches into the next
/// one, and lines of neighbouring tasks lie in different sets of the cache.
inline constexpr int64_t kTilePitch = kTileVectors + 16;

/// Positions of the inner dimension of an elementwise kernel with a short vector dimension that are
/// staged at once.
inline constexpr int64_t kStrip = 32;

/// With own buffers in place of what is staged. Those of an elementwise kernel hold a tile, whose
/// rows are `params[num_params]` elements apart; those of short rows and strips are as any own
/// memory.
StagedKernel stage(const Kernel& kernel);

}  // namespace wick::codegen::llvm_jit
