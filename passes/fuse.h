#pragma once

// Fusion: groups ops into fusion nodes, each of which becomes one kernel or a few.

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo fuse_pass_info();

}  // namespace wick::passes
