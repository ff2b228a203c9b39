#pragma once

#include <string>

#include "wick/ir/graph.h"

namespace wick::tools {

/// CUDA C++ of the graph's kernels, each once in every form that its launches take. Throws
/// std::invalid_argument where Wick was built without CUDA.
std::string emit_cuda(const ir::Graph& graph);

}  // namespace wick::tools
