#pragma once

// The same program over smaller tensors.

#include <cstdint>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::reduce {

/// The extents above 1 of parameters, constants and sources, largest first.
std::vector<int64_t> leaf_extents(const ir::Graph& graph);

/// A copy in which every leaf extent `from` is `to`, attributes adapted and types inferred anew;
/// constants are cropped. Null where an op does not fit. Attributes that hold memory placements are
/// left out.
std::unique_ptr<ir::Graph> resized(const ir::Graph& graph, int64_t from, int64_t to);

/// The same for one axis of one parameter alone.
std::unique_ptr<ir::Graph> resized_axis(const ir::Graph& graph,
                                        const ir::Node& parameter,
                                        int axis,
                                        int64_t to);

}  // namespace wick::reduce
