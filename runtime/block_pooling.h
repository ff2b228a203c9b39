#pragma once

// Which element of each window is the largest, and the gradient of max pooling, of f32 images with
// channels in blocks, which are lanes of vectors: what is known of a window stays in registers. By
// hand, since compilers make scalar code of it. Internal to runtime/.

#include "wick/ir/op.h"
#include "wick/runtime/pool_shape.h"

namespace wick::runtime {

/// Of max_pool2d, which gives numbers in bytes, or its gradient, which reads them. With vectors of
/// 8 or 16 lanes, which divide the blocks, for machines that have them.
template <int64_t kLanes>
PlaneFunction block_pooling(ir::OpKind op);

}  // namespace wick::runtime
