#pragma once

// Checks that a graph obeys the rules of the IR.

#include <optional>
#include <string>

#include "wick/ir/graph.h"

namespace wick::ir {

/// The first broken rule, naming node and location; empty when the graph is sound. Rules: operands
/// come earlier in the same graph, types equal what infer_type gives, use lists are exact, bodies
/// are sound and match their fusion, attributes are known and of the right type.
std::optional<std::string> verify(const Graph& graph);

}  // namespace wick::ir
