#pragma once

// Names for the places of a program that do not depend on the order in which it was written: what
// lets equal computations become equal kernels.

#include <array>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/hash.h"

namespace wick::passes {

/// Hashes of a node alone, of it with its operands and users, with theirs, and so on.
using NearForms = std::array<Hash128, 4>;

/// By Node::id. Compared, the nearest difference decides: what is far from two nodes, as in which
/// layer of a network they are, does not change their order. Extents count only for being 1, since
/// a new batch size must not make new kernels.
std::vector<NearForms> near_forms(const ir::Graph& graph);

/// A graph that computes the same, its nodes, commutative operands, parameters and results in
/// canonical order.
struct CanonicalGraph {
  std::unique_ptr<ir::Graph> graph;
  std::vector<int> parameters;  // new parameter i is old parameter parameters[i]
  std::vector<int> results;     // likewise
};

CanonicalGraph canonical_copy(const ir::Graph& graph);

}  // namespace wick::passes
