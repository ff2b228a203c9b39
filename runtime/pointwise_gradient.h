#pragma once

#include <cstdint>
#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// Whether an op is the gradient of the weights of a convolution with windows of one pixel, of
/// images with channels in blocks of as many as this machine's vectors hold.
bool is_pointwise_gradient(const LibraryOp& op);

std::unique_ptr<HostCall> make_pointwise_gradient(const LibraryOp& op);

}  // namespace wick::runtime
