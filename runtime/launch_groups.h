#pragma once

// Kernel launches that may run side by side.

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// For each step one past the last step of its group: of launches behind each other of which none
/// writes what another reads or writes, if they are worth waking threads. Any other step is by
/// itself.
std::vector<int> find_launch_groups(const Plan& plan);

}  // namespace wick::runtime
