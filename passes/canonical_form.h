#pragma once

// Names for the places of a program that do not depend on the order in which it was written: what
// lets equal computations become equal kernels.

#include <memory>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/hash.h"

namespace wick::passes {

/// By Node::id: a hash of how the node is computed and of all that is done with it. Extents do not
/// count but for being 1, since a new batch size must not make new kernels. Nodes that play the
/// same part tie.
std::vector<Hash128> canonical_keys(const ir::Graph& graph);

/// A graph that computes the same, its nodes, commutative operands, parameters and results in
/// canonical order.
struct CanonicalGraph {
  std::unique_ptr<ir::Graph> graph;
  std::vector<int> parameters;  // new parameter i is old parameter parameters[i]
  std::vector<int> results;     // likewise
};

CanonicalGraph canonical_copy(const ir::Graph& graph);

}  // namespace wick::passes
