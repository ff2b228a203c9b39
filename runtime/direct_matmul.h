#pragma once

#include <memory>

#include "wick/runtime/matmul_shape.h"
#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

/// Whether f32 products of this shape are so small or narrow that direct_gemms may be fastest on
/// this machine.
bool may_be_direct(const MatmulShape& shape);

/// Whether they are expected to be.
bool is_best_direct(const MatmulShape& shape);

/// An f32 matmul by direct_gemms, in vectors of so many lanes. The same bits on any number of
/// threads.
std::unique_ptr<HostCall> make_direct_matmul(MatmulShape shape, int64_t lanes = vector_lanes());

}  // namespace wick::runtime
