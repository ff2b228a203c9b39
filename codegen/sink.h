#pragma once

// Moves straight code behind loops that do not need it.

#include "wick/codegen/kernel_ir.h"

namespace wick::codegen {

/// Puts each instruction of straight code into the straight code that is the first to use it, or
/// that comes just before the loop that is, and stores behind the last: accumulators get the
/// registers, and a kernel that starts with its loop can walk columns row by row. No loop reads
/// what straight code stores, and what overwrites an operand is stored where that is needed last or
/// later, so that no load gets behind such a store.
void sink_straight_code(Kernel& kernel);

}  // namespace wick::codegen
