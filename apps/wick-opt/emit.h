#pragma once

// The forms in which wick-opt prints a graph.

#include <string>
#include <string_view>

#include "wick/ir/graph.h"

namespace wick::tools {

/// `form` is one of ir, dot, kernels (kernel IR of every fusion), llvm, asm, cuda, plan. Throws
/// std::invalid_argument for another.
std::string emit(const ir::Graph& graph, std::string_view form);

}  // namespace wick::tools
