#pragma once

#include <span>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/runtime/backend.h"

namespace wick::runtime {

/// Copies of the arguments of a graph's program, for the interpreter.
std::vector<Literal> argument_values(const ir::Graph& graph, std::span<const Argument> arguments);

}  // namespace wick::runtime
