#pragma once

// Single-precision products in tiles of registers, for machines with AVX2; docs/architecture.md
// tells why they are not a library's. Internal to runtime/.

#include "wick/runtime/gemm_call.h"

namespace wick::runtime {

/// A product is best cut between its tiles.
constexpr int64_t kTileRows = 6;
constexpr int64_t kTileColumns = 16;

/// Elements that a product of this size works in.
int64_t tiled_gemm_scratch(int64_t m, int64_t n, int64_t k);

/// On this thread. Each element is summed in an order that depends on k alone: a product may be cut
/// along m and n in any way.
void tiled_gemm(const GemmArgs<float>& args, float* scratch);

}  // namespace wick::runtime
