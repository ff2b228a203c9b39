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

/// A tile of an elementwise kernel: positions of the last task dimension, four lines of floats, and
/// of the vector one, of which a launch takes more that goes past the caches: the machine
/// prefetches along them. (4099 by 4093 elements and as many transposed ones: 17.1 ms by 128, 12.6
/// by 256. 12 by 20000, in the caches: 0.071 and 0.086.)
inline constexpr int64_t kTileTasks = 64;
inline constexpr int64_t kTileVectors = 128;
inline constexpr int64_t kLongTileVectors = 256;
/// Its tasks are so many elements apart: up to a line that begins in the tile reaches into the next
/// one, and lines of neighbouring tasks lie in different sets of the cache.
inline constexpr int64_t kTilePitch = kLongTileVectors + 16;

/// Positions of the inner dimension of an elementwise kernel with a short vector dimension that are
/// staged at once.
inline constexpr int64_t kStrip = 32;

/// With own buffers in place of what is staged. Those of an elementwise kernel hold a tile, whose
/// rows are `params[num_params]` elements apart; those of short rows and strips are as any own
/// memory.
StagedKernel stage(const Kernel& kernel);

}  // namespace wick::codegen::llvm_jit
