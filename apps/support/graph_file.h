#pragma once

// Graphs in files, for tools.

#include <memory>
#include <string>

#include "wick/ir/graph.h"

namespace wick::tools {

/// The graph of a file, `-` being standard input, or the one called `name` where that is not empty.
/// Throws ir::ParseError, or std::runtime_error naming the graphs there are.
std::unique_ptr<ir::Graph> read_graph(const std::string& path, const std::string& name);

/// Replaces the file by a graph, with locations; whoever reads meanwhile sees the old one or the
/// new one. Throws std::runtime_error.
void write_graph(const std::string& path, const ir::Graph& graph);

}  // namespace wick::tools
