#pragma once

// Rows that are reduced can be walked one after the other, each from vector to vector, or side by
// side, one in each lane. In order, the machine waits for each row's end: for its lanes to be
// folded, for functions of the sums. Side by side, what is behind each other in memory first has to
// be transposed.

#include <vector>

#include "wick/codegen/kernel_draft.h"

namespace wick::codegen {

/// Whether rows of so many elements, along dimension `inner` of the addresses, take less time side
/// by side along dimension `outer` than in order.
bool pays_side_by_side(const std::vector<DraftInstr>& instrs, int64_t length, int inner, int outer);

}  // namespace wick::codegen
