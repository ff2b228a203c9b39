#pragma once

// Reference semantics: evaluates a graph node by node, naively. Float results are computed in
// double and rounded once to the result dtype; sums accumulate in double.

#include <functional>
#include <span>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::ir {

/// Sees each node and what it gave, in the order of evaluation; not the nodes inside of fusions.
using NodeObserver = std::function<void(const Node& node, std::span<const Literal> results)>;

/// The results of the graph for these parameter values, whose types must match.
std::vector<Literal> interpret(const Graph& graph,
                               std::span<const Literal> parameters,
                               const NodeObserver& observer = {});

/// One op, for constant folding and for plan steps without a faster implementation.
Literal interpret_op(OpKind op,
                     const Attributes& attributes,
                     std::span<const Literal* const> operands,
                     const Type& result);

/// Philox 4x32-10 (Salmon et al., SC 2011): the four words of one counter block.
struct PhiloxWords {
  uint32_t words[4];
};

PhiloxWords philox(uint64_t key, uint64_t counter);

}  // namespace wick::ir
