#pragma once

// Where each value of an optimized graph lives, as the plan-memory pass wrote it down.

#include <cstddef>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/runtime/plan.h"

namespace wick::runtime {

struct Placement {
  /// By Node::id; one place a result.
  std::vector<std::vector<Place>> places;
  size_t arena_bytes = 0;

  [[nodiscard]] const Place& of(ir::Value value) const {
    return places[static_cast<size_t>(value.node->id())][static_cast<size_t>(value.index)];
  }
};

/// Constants are numbered in order. A node without `buffers` attribute gets arena space of its own,
/// or the buffer of the graph result that it is.
Placement place_values(const ir::Graph& graph);

}  // namespace wick::runtime
