#pragma once

// The passes that come with Wick.

#include <vector>

#include "wick/passes/pass_registry.h"

namespace wick::passes {

std::vector<PassInfo> built_in_passes();

}  // namespace wick::passes
