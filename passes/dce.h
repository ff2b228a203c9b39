#pragma once

// Dead code elimination: erases nodes whose results nobody reads. Parameters stay.

#include <cstdint>

#include "wick/ir/graph.h"
#include "wick/passes/pass_registry.h"

namespace wick::passes {

/// Returns how many there were.
int64_t erase_dead_nodes(ir::Graph& graph);

PassInfo dce_pass_info();

}  // namespace wick::passes
