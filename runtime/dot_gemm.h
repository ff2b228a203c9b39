#pragma once

// Single-precision products as dot products of rows, with vectors along what is summed. Internal to
// runtime/.

#include "wick/runtime/gemm_call.h"

namespace wick::runtime {

constexpr int64_t kFewDotRows = 16;

/// For a lhs that is not transposed and a rhs that is. One operand may lie otherwise: it is copied,
/// and may have kFewDotRows rows or columns. With vectors of 8 or 16 lanes, for machines that have
/// them; an element is summed in an order that depends on k and the transposes alone.
template <int64_t kLanes>
const GemmLibrary<float>& dot_gemm();

}  // namespace wick::runtime
