#pragma once

// A call on a batch of images, one image after the other.

#include "wick/runtime/onednn/primitive_call.h"

namespace wick::runtime::onednn {

struct ImageLoop {
  int64_t images = 0;
  int64_t operand_stride = 0;  // elements of an image
  int64_t result_stride = 0;
  /// From an image and weights, the same ones for all.
  PrimitiveSpec one_image;
};

/// Each image on one thread, several side by side. oneDNN's own threads may share the product that
/// an image is made into, in parts that follow their number, and so would the last bits.
std::unique_ptr<HostCall> make_image_loop(ImageLoop loop);

}  // namespace wick::runtime::onednn
