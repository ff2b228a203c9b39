#pragma once

// Steps of plans that the reference interpreter does.

#include <span>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// `step` of `plan`, on memory of the host: a pointer for each value that it reads and writes.
void interpret_step(const Plan& plan,
                    const Step& step,
                    const InterpretStep& interpreted,
                    std::span<const void* const> operands,
                    std::span<void* const> results);

}  // namespace wick::runtime
