#pragma once

// Sums over the images of a batch that come out the same for any number of threads.

#include <functional>
#include <memory>

#include "wick/runtime/library_call.h"
#include "wick/runtime/onednn/primitive_call.h"

namespace wick::runtime::onednn {

/// What is summed: result = sum over images of f(first operand's image, second operand's image).
struct BatchSum {
  int64_t images = 0;
  int64_t first_stride = 0;  // elements of an image
  int64_t second_stride = 0;
  int64_t result_elements = 0;
  /// The sum over a part of this many images.
  std::function<PrimitiveSpec(int64_t images)> part;
};

/// Cuts the batch in parts that depend on the shape alone, sums each on one thread and adds the
/// parts in order, in the format in which they come. oneDNN's own split of a weight gradient
/// follows the number of threads, and so do the last bits of its result.
std::unique_ptr<HostCall> make_batch_split(const BatchSum& sum);

}  // namespace wick::runtime::onednn
