#pragma once

// Gradients of the weights of convolutions as one matrix product.

#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime::onednn {

/// Whether a conv_weight_grad is one of images with channels in blocks that have few pixels and
/// many channels: of others oneDNN's own way is faster.
bool may_multiply_pixels(const LibraryOp& op);

/// The images' pixels are laid out one after the other, with their channels side by side, those of
/// the input with all the neighbors in the window, and multiplied: [pixels,outputs] transposed
/// times [pixels,taps*inputs].
std::unique_ptr<HostCall> make_product_gradient(const LibraryOp& op);

}  // namespace wick::runtime::onednn
