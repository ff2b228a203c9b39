#pragma once

// The last argument of hand-written kernels. Internal to runtime/cuda/native/.

#include <cstdint>

namespace wick::runtime::cuda {

using i64 = int64_t;  // as texts spell it

#include "wick/runtime/cuda/native/parameters.inc"

}  // namespace wick::runtime::cuda
