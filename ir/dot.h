#pragma once

// Graph IR as a Graphviz drawing.

#include <string>

#include "wick/ir/graph.h"

namespace wick::ir {

/// A `digraph`; fusions are clusters, parameters and results stand out.
std::string to_dot(const Graph& graph);

}  // namespace wick::ir
