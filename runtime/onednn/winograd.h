#pragma once

#include <memory>

#include "wick/runtime/library_call.h"

namespace wick::runtime::onednn {

/// An f32 convolution of dense 3x3 windows, or a gradient of one, by Winograd's algorithm on AVX2,
/// for which oneDNN has none of its own: transforms of ours around its matrix products. Null where
/// the machine lacks AVX2 or channels do not fill vectors.
std::unique_ptr<HostCall> make_winograd(const LibraryOp& op);

}  // namespace wick::runtime::onednn
