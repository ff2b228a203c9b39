#pragma once

// Single-precision products in tiles of registers; docs/architecture.md tells why they are not a
// library's. Internal to runtime/.

#include <cstdint>

#include "wick/runtime/gemm_call.h"

namespace wick::runtime {

struct TiledGemm {
  // Of a tile. A product is best cut between tiles.
  int64_t rows = 0;
  int64_t columns = 0;

  /// Elements that a product of this size works in.
  int64_t (*scratch)(int64_t m, int64_t n, int64_t k) = nullptr;

  /// On this thread. Each element is summed in an order that depends on k alone: a product may be
  /// cut along m and n in any way.
  void (*multiply)(const GemmArgs<float>& args, float* scratch) = nullptr;
};

/// With vectors of 8 or 16 lanes, for machines that have them.
template <int64_t kLanes>
const TiledGemm& tiled_gemm();

}  // namespace wick::runtime
