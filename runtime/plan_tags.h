#pragma once

// Says who owns the memory of a plan, before the first run asks for it.

#include <span>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// Fills `plan.tags`, whose `arena_items` hold the scratch of steps already. `result_values` are
/// the numbers of the values that the results are.
void tag_allocations(Plan& plan, std::span<const int> result_values);

}  // namespace wick::runtime
