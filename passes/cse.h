#pragma once

// Common subexpression elimination: of nodes that compute the same value only the first stays.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo cse_pass_info();

}  // namespace wick::passes
