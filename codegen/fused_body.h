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
  /// Reductions over the rows of the others, which are known, with all that depends on them, when
  /// every row has been walked.
  std::vector<const ir::Node*> column_reductions;
  /// By Node::id: how many loops over a row come before the value is known; 1 for what depends on a
  /// reduction of a column.
  std::vector<int> depth;
  /// By Node::id, of reductions: the loop that accumulates.
  std::vector<int> loop;
  /// By Node::id: depends on a reduction of a column.
  std::vector<bool> is_of_columns;
  int max_depth = 0;

  [[nodiscard]] int depth_of(const ir::Node& node) const {
    return depth[static_cast<size_t>(node.id())];
  }

  [[nodiscard]] int loop_of(const ir::Node& reduction) const {
    return loop[static_cast<size_t>(reduction.id())];
  }

  /// Whether a result is stored at every position, or once for each row or column.
  [[nodiscard]] ir::Domain::Level level_of(const ir::Value& result) const;
};

/// Throws std::logic_error when reductions do not agree on what they reduce.
FusedBody analyze_body(const ir::Graph& graph);

}  // namespace wick::codegen
