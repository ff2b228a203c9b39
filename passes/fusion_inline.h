#pragma once

// Recomputing what a cluster reads instead of loading it.

#include "wick/passes/fusion_clusters.h"
#include "wick/passes/pass.h"

namespace wick::passes {

/// Copies producers into the clusters that read them, where the cost model finds that it pays.
void inline_producers(FusionClusters& clusters, PassContext& context);

/// Merges clusters that walk the same positions and share an operand.
void merge_siblings(FusionClusters& clusters, PassContext& context);

/// A remark on one decision; `no` is empty for a fusion that was made.
void explain_fusion(PassContext& context,
                    const ir::Node& producer,
                    const ir::Node& consumer,
                    const Objection& no);

}  // namespace wick::passes
