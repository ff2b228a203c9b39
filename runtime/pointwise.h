#pragma once

// Convolutions with windows of one pixel as products of what lies in memory. Internal to runtime/.

#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime {

/// Whether an op is a convolution with windows of one pixel, or a gradient of one, of images with
/// channels in blocks of as many as this machine's vectors hold.
bool is_pointwise(const LibraryOp& op);

/// A convolution or the gradient of its inputs.
std::unique_ptr<HostCall> make_pointwise_convolution(const LibraryOp& op);

std::unique_ptr<HostCall> make_pointwise_gradient(const LibraryOp& op);

}  // namespace wick::runtime
