#pragma once

// Memory planning: decides where every value of a fused graph lies while it runs.
//
// The pass `plan-memory` writes the attribute `buffers` on every node but parameters: one place
// (wick/passes/buffer_place.h) for each result. Temporaries share one arena; a graph result has a
// fresh buffer of its own, or takes over that of a donated parameter; a reshape lies where its
// operand lies. A fusion's attribute `in_place` (one operand number a result, or -1) allows a
// result to overwrite an operand that nobody needs any more; a scatter may overwrite its first.

#include <cstddef>
#include <optional>
#include <string>

#include "wick/ir/graph.h"
#include "wick/passes/buffer_place.h"
#include "wick/passes/pass_registry.h"

namespace wick::passes {

struct MemoryPlan {
  size_t arena_bytes = 0;
  /// The most bytes of temporaries that are needed at one time in this order of nodes, each
  /// rounded up to the arena's alignment: no placement does with less.
  size_t peak_live_bytes = 0;
  /// Sum over all computed values, results included: what a run without any reuse takes.
  size_t total_intermediate_bytes = 0;
};

PassInfo plan_memory_pass_info();

/// Figures of a graph that `plan-memory` has annotated.
MemoryPlan memory_plan_of(const ir::Graph& graph);

/// Place of result i of an annotated node other than a parameter.
BufferPlace place_of(const ir::Node& node, int i = 0);

/// The first flaw of an annotated graph; empty when every value keeps its bytes from the node that
/// computes it to its last reader.
std::optional<std::string> verify_memory_plan(const ir::Graph& graph);

}  // namespace wick::passes
