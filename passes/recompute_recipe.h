#pragma once

// How one result of a fusion is computed a second time. Internal to passes/.

#include <cstdint>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::passes {

/// The part of a fusion that one of its results needs.
struct RecomputeRecipe {
  std::vector<ir::Value> operands;  // of the fusion, or other results of it
  std::unique_ptr<ir::Graph> body;
  int64_t costly_ops = 0;  // those whose elements take about as long as loading one
};

/// From the operands of the fusion alone, or from its other results where they are on the way.
RecomputeRecipe recipe_of(ir::Value value, bool from_other_results);

}  // namespace wick::passes
