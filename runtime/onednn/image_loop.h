#pragma once

// A call on a batch of images, some of them after the other.

#include "wick/runtime/onednn/primitive_call.h"

namespace wick::runtime::onednn {

struct ImageLoop {
  int64_t calls = 0;
  int64_t operand_stride = 0;  // elements of the images of a call
  int64_t result_stride = 0;
  /// From an image, or several, and weights, the same ones for all.
  PrimitiveSpec call;
  std::string calls_are;  // for people
};

/// Each call on one thread, several side by side. oneDNN's own threads may share the product that
/// an image is made into, in parts that follow their number, and so would the last bits.
std::unique_ptr<HostCall> make_image_loop(ImageLoop loop);

/// Each call on all threads: less scratch than for all images at once.
std::unique_ptr<HostCall> make_loop_of_parts(ImageLoop loop);

}  // namespace wick::runtime::onednn
