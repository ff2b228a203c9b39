#pragma once

// Replaces ops from outside by their expansions (wick/ir/custom_op.h), so that every later pass
// sees what they are made of.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo expand_custom_ops_pass_info();

}  // namespace wick::passes
