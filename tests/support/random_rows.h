#pragma once

// Random programs of rows and columns, for differential tests.

#include <cstdint>
#include <memory>

#include "wick/ir/graph.h"

namespace wick::testing_support {

/// Values at all positions of a matrix, one a row and one a column, which are reduced to and
/// broadcast from each other, as in the gradient of a layer norm. Bounded, so that two correct
/// implementations agree. The same for the same seed.
std::unique_ptr<ir::Graph> random_rows(uint64_t seed);

}  // namespace wick::testing_support
