#pragma once

// Where kernels end that limits keep from growing.

#include "wick/passes/fusion_clusters.h"

namespace wick::passes {

/// Cuts the clusters that are beyond the limits into parts within them, such that the parts read
/// and store few bytes.
Parts cut_into_parts(const FusionClusters& clusters, const FusionLimits& limits);

}  // namespace wick::passes
