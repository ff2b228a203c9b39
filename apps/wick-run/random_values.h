#pragma once

// Values for parameters that nobody gave.

#include <cstdint>

#include "value_domain.h"

#include "wick/ir/literal.h"

namespace wick::run {

/// The same values for the same arguments, on every machine. Floats are in [-1, 1), positive ones
/// in (0, 1]; integers in [0, below), 10 where nothing says so; bools are either.
Literal random_values(const Type& type, const ValueDomain& domain, uint64_t key);

}  // namespace wick::run
