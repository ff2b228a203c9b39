#pragma once

#include <cstdint>
#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// Whether an op is the gradient of the weights of a convolution with one input and one output
/// channel a group, and this machine can sum its taps.
bool is_depthwise_gradient(const LibraryOp& op);

/// make_depthwise_gradient() with vectors of 8 or 16 lanes; null where the machine has none of
/// them.
std::unique_ptr<HostCall> make_depthwise_gradient_of_lanes(const LibraryOp& op, int64_t lanes);

}  // namespace wick::runtime
