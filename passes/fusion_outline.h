#pragma once

// Turns decided clusters into fusion nodes.

#include <optional>
#include <vector>

#include "wick/passes/fusion_clusters.h"

namespace wick::passes {

/// The order in which clusters and the nodes that stay by themselves run, by numbers that are
/// outline_fusions' own; none where some depend on each other in a circle.
std::optional<std::vector<int>> order_of_units(ir::Graph& graph, FusionClusters& clusters);

/// Moves the ops of every cluster into the body of a new fusion node; returns how many there are.
int outline_fusions(ir::Graph& graph, FusionClusters& clusters, const std::vector<int>& order);

}  // namespace wick::passes
