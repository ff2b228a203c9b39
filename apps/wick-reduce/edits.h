#pragma once

// Small ways of making a graph simpler. Each gives candidates in the order to try them.

#include <functional>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::reduce {

/// Makes a changed copy of the graph it was proposed for; null when the change does not fit. The
/// copy may be broken or no smaller: whoever takes it verifies and measures.
using Edit = std::function<std::unique_ptr<ir::Graph>()>;

/// The ways of editing; the graph outlives the edits.
using Proposal = std::vector<Edit> (*)(const ir::Graph&);

/// Each fusion replaced by the ops of its body.
std::vector<Edit> inline_fusions(const ir::Graph& graph);

/// Each op's value replaced by an operand of its type, or by an earlier parameter of its type.
std::vector<Edit> bypass_ops(const ir::Graph& graph);

/// Each value of an op, and each constant with unequal elements, replaced by zeros, then by ones.
std::vector<Edit> make_constant(const ir::Graph& graph);

/// Each constant with unequal elements replaced by a parameter.
std::vector<Edit> make_parameter(const ir::Graph& graph);

/// Each parameter and constant replaced by the first other of its type.
std::vector<Edit> merge_leaves(const ir::Graph& graph);

/// Each attribute left out.
std::vector<Edit> drop_attributes(const ir::Graph& graph);

/// Each extent of a parameter, constant or source made 1 wherever it occurs, those first
/// that leave least to compute.
std::vector<Edit> collapse_extents(const ir::Graph& graph);

/// Each such extent made smaller, 1 first, then by steps from a half to one less: wherever it
/// occurs, then in one axis of one parameter alone.
std::vector<Edit> shrink_extents(const ir::Graph& graph);

/// Each fusion with an op of its body left out: what read it reads a new operand.
std::vector<Edit> shrink_fusions(const ir::Graph& graph);

}  // namespace wick::reduce
