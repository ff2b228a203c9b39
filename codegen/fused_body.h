#pragma once

// What lowering needs to know about the body of a fusion before it emits code: the positions its
// kernel walks and in which pass over them each value can be computed.

#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/index_map.h"

namespace wick::codegen {

struct FusedBody {
  const ir::Graph* graph = nullptr;
  ir::Domain domain;
  /// Reductions that results need, in order; empty for an elementwise fusion.
  std::vector<const ir::Node*> reductions;
  /// By Node::id: the longest chain of reductions that the value depends on, itself included.
  std::vector<int> depth;
  int max_depth = 0;

  [[nodiscard]] int depth_of(const ir::Node& node) const {
    return depth[static_cast<size_t>(node.id())];
  }

  /// Whether a result is stored at every position or once for each row.
  [[nodiscard]] ir::Domain::Level level_of(const ir::Value& result) const;
};

/// Throws std::logic_error when reductions do not agree on what they reduce.
FusedBody analyze_body(const ir::Graph& graph);

}  // namespace wick::codegen
