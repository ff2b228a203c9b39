#pragma once

// Temporaries in memory of results that are not computed yet. Internal to passes/.
//
// A run has the buffers of all its results from its start on: those of gradients lie idle until the
// backward pass is there, while the values that it waits for are kept.

#include <vector>

#include "wick/passes/arena_placement.h"

namespace wick::passes {

/// The buffer of a result, free before the position at which something is first written to it.
struct ResultLoan {
  size_t bytes = 0;
  int free_before = 0;
};

/// By block, the number of the buffer that it lives in, or -1. From the highest peak of the other
/// blocks on, the largest block first, until one is met that no buffer lowers.
std::vector<int> lend_results(const std::vector<ArenaBlock>& blocks,
                              const std::vector<ResultLoan>& loans);

}  // namespace wick::passes
