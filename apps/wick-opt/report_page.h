#pragma once

// wick-opt --emit=html and --dump-to.

#include <memory>
#include <string>

#include "wick/ir/graph.h"

namespace wick::tools {

/// The report of a compile of this graph, read from `input`, by the backend in force.
std::string report_page(std::unique_ptr<ir::Graph> graph, const std::string& input);

/// Compiles the graph into the folder for dumps.
void dump(const ir::Graph& graph, const std::string& input);

}  // namespace wick::tools
