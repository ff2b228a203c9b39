#pragma once

// Cutting a part out of a graph.

#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::reduce {

/// Ops that count: all nodes but parameters and constants, in order.
std::vector<ir::Node*> ops_of(const ir::Graph& graph);

/// A part of a graph, with the values of that graph which its parameters and results stand for.
struct Part {
  std::unique_ptr<ir::Graph> graph;
  std::vector<ir::Value> inputs;
  std::vector<ir::Value> outputs;
};

/// The ops `kept` alone, a subset of ops_of(graph), with the constants and parameters they read.
/// What they read of other ops becomes a parameter, with the name of the value; what others read of
/// them, or the graph returns, becomes a result. Names, attributes and locations stay.
Part extract(const ir::Graph& graph, const std::vector<ir::Node*>& kept);

/// Erases what no result needs, parameters included.
void erase_unused(ir::Graph& graph);

}  // namespace wick::reduce
