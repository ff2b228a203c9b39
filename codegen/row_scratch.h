#pragma once

// Values of a row that several of its loops need and that are dear to compute: the first loop
// leaves them in memory of the kernel's own, or, when rows are too long for that, in the buffer of
// a result that a later loop fills; the others read them back while the row is still in the cache.
// Softmax computes its exponentials once by this.

#include <cstdint>
#include <vector>

#include "wick/codegen/fused_body.h"

namespace wick::codegen {

/// Memory of a kernel's own is on its stack, and threads have small ones: 256 KiB of floats.
inline constexpr int64_t kMostOwnElements = 65536;

struct RowScratch {
  const ir::Node* value = nullptr;
  int depth = 0;             // stored in the loop behind this many reductions
  int64_t own_elements = 0;  // of a row in memory of the kernel's own; 0: a result's buffer
  int place = 0;             // which memory of its own, or the number of the result
};

/// In order of depth. Results that are written over an operand (`in_place` is the fusion's
/// attribute) lend no memory.
std::vector<RowScratch> plan_row_scratch(const FusedBody& body,
                                         const std::vector<int64_t>& in_place);

}  // namespace wick::codegen
