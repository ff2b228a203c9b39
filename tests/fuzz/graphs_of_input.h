#pragma once

// Graphs from a fuzzer's bytes.

#include <cstdint>
#include <memory>
#include <vector>

#include "wick/ir/graph.h"

namespace wick::fuzz {

/// The graphs that the bytes spell, sound or not; none where the parser refuses them, or where they
/// ask for large constants, which are no fault but take all the time.
std::vector<std::unique_ptr<ir::Graph>> graphs_of_input(const uint8_t* data, size_t size);

}  // namespace wick::fuzz
