#pragma once

// Turns decided clusters into fusion nodes.

#include "wick/passes/fusion_clusters.h"

namespace wick::passes {

/// Moves the ops of every cluster into the body of a new fusion node; returns how many there are.
int outline_fusions(ir::Graph& graph, FusionClusters& clusters);

}  // namespace wick::passes
