#pragma once

// Values of a row that several of its loops need and that are dear to compute: the first loop
// leaves them in the buffer of a result that a later loop fills, and the others read them back
// while the row is still in the cache. Softmax computes its exponentials once by this.

#include <vector>

#include "wick/codegen/fused_body.h"

namespace wick::codegen {

struct RowScratch {
  const ir::Node* value = nullptr;
  int depth = 0;   // stored in the loop behind this many reductions
  int result = 0;  // number of the result whose buffer holds it meanwhile
};

/// In order of depth.
std::vector<RowScratch> plan_row_scratch(const FusedBody& body);

}  // namespace wick::codegen
