#pragma once

// Results of two backends, side by side.

#include <span>
#include <string_view>

#include "wick/ir/graph.h"
#include "wick/ir/literal.h"
#include "wick/runtime/rounding_noise.h"

namespace wick::run {

/// Prints the largest error of each result, and for those that differ by more than rounding (as
/// runtime/validate.h defines it) a line to standard error: `wick-run: mismatch: result 2 (%loss)
/// differs ...`. True when none does.
bool compare_results(const ir::Graph& graph,
                     std::span<const Literal> expected,
                     std::span<const Literal> got,
                     std::string_view reference,
                     runtime::RoundingNoise& noise);

}  // namespace wick::run
