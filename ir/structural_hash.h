#pragma once

// Hashes of graphs and values by structure: op, attributes, types, operands; not names, not ids,
// not locations.

#include <vector>

#include "wick/ir/graph.h"
#include "wick/ir/hash.h"

namespace wick::ir {

/// Hash of the whole graph: equal for graphs that print alike but for names and locations.
Hash128 structural_hash(const Graph& graph);

/// Hash of each node's expression by Node::id, in which every parameter counts by its type and
/// attributes only: equal for expressions of one form over different leaves. Orders commutative
/// operands independently of the order of writing.
std::vector<Hash128> expression_hashes(const Graph& graph);

Hash128 hash_of(const Type& type);

}  // namespace wick::ir
