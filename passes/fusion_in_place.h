#pragma once

// Which results of a fusion may be written over one of its operands.

#include <cstdint>
#include <functional>
#include <vector>

#include "wick/passes/fusion_clusters.h"

namespace wick::passes {

/// What a cluster reads: nodes of the graph before outlining, and what they are now.
struct FusionOperands {
  std::vector<ir::Node*> nodes;
  std::vector<ir::Value> values;
};

/// For each output of the cluster the number of the operand that it may overwrite, or -1. Such an
/// operand is read at the very positions that the output is written at and in no later part of the
/// kernel, through no other operand of the same buffer, and `dies` says that nothing reads it
/// behind the cluster.
std::vector<int64_t> in_place_operands(const FusionClusters& clusters,
                                       int cluster,
                                       const FusionOperands& operands,
                                       const std::vector<ir::Node*>& outputs,
                                       const std::function<bool(const ir::Node&)>& dies);

}  // namespace wick::passes
