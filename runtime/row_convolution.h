#pragma once

#include <cstdint>
#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// make_row_convolution() with vectors of 8 or 16 lanes; null where the machine has none of them.
std::unique_ptr<HostCall> make_row_convolution_of_lanes(const LibraryOp& op, int64_t lanes);

}  // namespace wick::runtime
