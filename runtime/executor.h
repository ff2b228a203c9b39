#pragma once

// Runs plans.

#include <memory>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// Of a plan for the host: its library steps are HostCalls.
std::unique_ptr<Executable> make_executable(std::unique_ptr<Plan> plan);

}  // namespace wick::runtime
