#pragma once

// Rewrites a graph to one form for each meaning: algebraic simplification, movement ops that do
// nothing, and an order of commutative operands that does not depend on how code was written.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo canonicalize_pass_info();

}  // namespace wick::passes
