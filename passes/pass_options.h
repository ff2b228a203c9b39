#pragma once

// Reading the options of a pass.

#include <cstdint>
#include <string_view>

#include "wick/passes/pass.h"

namespace wick::passes {

/// The integer option `name`, or `fallback` when it is absent. Throws std::invalid_argument for a
/// value that is no integer or is below `minimum`.
int64_t integer_option(const PassOptions& options,
                       std::string_view name,
                       int64_t fallback,
                       int64_t minimum = 0);

/// True for a flag written bare, as `=true` or as `=1`; false for `=false` and `=0`. Throws
/// std::invalid_argument for anything else.
bool flag_option(const PassOptions& options, std::string_view name, bool fallback = false);

}  // namespace wick::passes
