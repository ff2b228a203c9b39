#pragma once

// Exact comparison of graphs where ir/structural_hash.h only hashes.

#include "wick/ir/graph.h"

namespace wick::passes {

/// Same parameters, nodes, operands, attributes and results in the same order; names and locations
/// do not count. Fusion bodies nest one level deep, as the verifier demands.
bool structurally_equal(const ir::Graph& a, const ir::Graph& b);

}  // namespace wick::passes
