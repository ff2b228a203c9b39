#pragma once

// WICK_DETECT_ANOMALY: finds the op that a NaN comes from.

#include <memory>

#include "wick/runtime/backend.h"

namespace wick::runtime {

/// Interprets `recorded`, the graph as recorded, before each run of `executable`. Where a result
/// holds NaN, throws Error at the line and by the name of the first op that leads there and gave
/// NaN from operands without one. NaN that comes from the program's inputs, and NaN that no result
/// shows, because where() leaves it out for example, are left alone.
std::unique_ptr<Executable> make_detecting_anomalies(std::unique_ptr<Executable> executable,
                                                     std::unique_ptr<ir::Graph> recorded);

}  // namespace wick::runtime
