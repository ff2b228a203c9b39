#pragma once

// Constant folding: ops over small constants become constants.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo constant_fold_pass_info();

}  // namespace wick::passes
