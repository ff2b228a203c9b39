#pragma once

// Computes values a second time that would lie idle where memory is needed most.
//
// Where the most bytes are in use, a value may wait between two readers that are far apart, as an
// activation waits for the backward pass. If a kernel computed it from values that wait anyway, the
// pass `rematerialize` has a second kernel do so for the later readers (Chen et al., "Training Deep
// Nets with Sublinear Memory Cost", 2016, choose by segments of a network; here it is by kernel).

#include "wick/passes/pass_registry.h"

namespace wick::passes {

PassInfo rematerialize_pass_info();

}  // namespace wick::passes
