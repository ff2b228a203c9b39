#pragma once

// Pooling of f32 images with channels in blocks, which are lanes of vectors: what is known of a
// window stays in registers. By hand, since compilers make scalar code of numbers of elements, and
// the rest of the runtime is for machines with any vectors. With vectors of 8 or 16 lanes, which
// divide the blocks, for machines that have them. Internal to runtime/.

#include "wick/ir/op.h"
#include "wick/runtime/pool_shape.h"

namespace wick::runtime {

/// Of max_pool2d, avg_pool2d and the latter's gradient; null for others.
template <int64_t kLanes>
PlaneFunction block_pooling(ir::OpKind op);

/// Of max_pool2d, which gives numbers of elements in bytes, or its gradient, which reads them.
template <int64_t kLanes>
PlaneFunction block_pooling_by_number(ir::OpKind op);

}  // namespace wick::runtime
