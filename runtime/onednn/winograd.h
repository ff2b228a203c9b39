#pragma once

#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime::onednn {

/// An f32 convolution, or a gradient of one, of dense square windows, by Winograd's algorithm:
/// transforms of ours around oneDNN's matrix products. oneDNN has one of its own for AVX-512 and
/// windows of 3x3 with strides of 1 alone. Null for windows of other sizes than 3x3 and 5x5 with
/// strides of 1 or 3x3 with strides of 2, and where the machine lacks AVX2.
std::unique_ptr<HostCall> make_winograd(const LibraryOp& op);

}  // namespace wick::runtime::onednn
