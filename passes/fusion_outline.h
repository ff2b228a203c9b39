#pragma once

// Turns decided clusters into fusion nodes.

#include "wick/passes/fusion_clusters.h"

namespace wick::passes {

/// Whether some clusters depend on each other in a circle, so that none of them could run first.
bool form_circle(ir::Graph& graph, FusionClusters& clusters);

/// Moves the ops of every cluster into the body of a new fusion node; returns how many there are.
/// The clusters form no circle.
int outline_fusions(ir::Graph& graph, FusionClusters& clusters);

}  // namespace wick::passes
