#pragma once

#include <memory>

#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

/// Whether f32 products of this shape are worth the copies that tiled_gemm makes, on this machine.
bool may_tile(const MatmulShape& shape);

/// An f32 matmul by tiled_gemm, in vectors of so many lanes. The same bits on any number of
/// threads.
std::unique_ptr<HostCall> make_tiled_matmul(const MatmulShape& shape,
                                            int64_t lanes = vector_lanes());

}  // namespace wick::runtime
