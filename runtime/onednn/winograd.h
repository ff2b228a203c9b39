#pragma once

#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime::onednn {

/// An f32 convolution, or a gradient of one, of dense square windows with strides of 1, by
/// Winograd's algorithm: transforms of ours around oneDNN's matrix products. oneDNN has one of its
/// own for AVX-512 and windows of 3x3 alone. Null for windows of other sizes than 3x3 and 5x5, and
/// where the machine lacks AVX2.
std::unique_ptr<HostCall> make_winograd(const LibraryOp& op);

}  // namespace wick::runtime::onednn
