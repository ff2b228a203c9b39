#pragma once

// Decides what the pass `rematerialize` computes again. Internal to passes/.

#include <cstdint>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/passes/recompute_recipe.h"

namespace wick::passes {

struct IdleGapLimits {
  int64_t min_bytes = 1 << 20;    // of a value: kernels for less are not worth their launch
  int64_t max_moved = 3;          // bytes moved for each byte that is not kept
  int64_t max_with_product = 12;  // the same where a product is computed again, its flops included
};

/// A value that is idle from one position to the next, and computed again for those from there on.
/// Positions count the nodes of the graph.
struct IdleGap {
  ir::Value value;  // result of a fusion
  int begin = 0;    // behind a reader
  int end = 0;      // where it is needed, or the last position at which it can be computed
  int64_t moved_bytes = 0;
  std::shared_ptr<const RecomputeRecipe> recipe;
  /// The operand of the recipe that is a product's result and was overwritten by the value: it is
  /// computed again as well. Empty: all operands are there.
  ir::Value product = {};
};

/// From the highest peak of memory on until one is met that nothing lowers, what costs least first;
/// without what was not needed to lower the others to that one.
std::vector<IdleGap> find_idle_gaps(ir::Graph& graph, const IdleGapLimits& limits);

}  // namespace wick::passes
