#pragma once

// Images with their channels in blocks: [n,c,...] as [n,c/b,...,b], what vector units like best.
// The layout is a matter of the compiler: passes/layout.h brings it in, and no tensor shows it.

#include "wick/ir/shape.h"

namespace wick::ir {

/// [n,c,...] as [n,c/block,...,block].
Shape with_channel_blocks(const Shape& shape, int64_t block);
/// And back.
Shape without_channel_blocks(const Shape& shape);

}  // namespace wick::ir
