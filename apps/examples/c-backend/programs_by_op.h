#pragma once

// Programs that apply each elementwise op and each reduction to values at which implementations
// tend to differ.

#include <memory>
#include <vector>

#include "wick/ir/graph.h"

/// A few programs for each dtype; every op that takes the dtype is in one of them.
std::vector<std::unique_ptr<wick::ir::Graph>> programs_by_op();

/// Numbers of both signs, zeros, the ends of the range, NaN and infinities, as many as the type has
/// elements.
wick::Literal awkward_values(const wick::Type& type);
