#pragma once

// From a capture to graph IR.

#include <memory>

#include "wick/tensor/capture.h"

namespace wick::detail {

/// The captured program as a graph @main: leaves become parameters %p0, %p1, ... in the order of
/// the capture, and the captured outputs its results. Locations are those of the ops.
std::unique_ptr<ir::Graph> import_graph(const Capture& capture, bool with_donations = true);

}  // namespace wick::detail
