#pragma once

// Recomputing what a cluster reads instead of loading it.

#include "wick/passes/fusion_clusters.h"
#include "wick/passes/fusion_remarks.h"

namespace wick::passes {

/// Copies producers into the clusters that read them, where the cost model finds that it pays.
void inline_producers(FusionClusters& clusters, FusionLog& log);

/// Merges clusters that walk the same positions and share an operand; true if there were any. What
/// one of them stored may then be a copy in the other.
bool merge_siblings(FusionClusters& clusters, FusionLog& log);

}  // namespace wick::passes
