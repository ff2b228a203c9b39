#pragma once

// What a profile shows of a plan's steps.

#include <memory>
#include <vector>

#include "wick/ir/profile.h"
#include "wick/runtime/plan.h"

namespace wick::runtime {

/// One label a step: its ops by name, source line, types, bytes and floating-point operations.
std::vector<std::shared_ptr<const profile::Label>> step_labels(const Plan& plan);

/// Multiplications and additions of a contraction; 0 for other ops.
double flops(const LibraryOp& op);

}  // namespace wick::runtime
