#pragma once

// Random programs of images with many channels, for differential tests.

#include <cstdint>
#include <memory>

#include "wick/ir/graph.h"

namespace wick::testing_support {

/// Convolutions with their gradients and what lies between them in networks: arithmetic by image,
/// channel and pixel, pooling, images joined, cut, padded, resampled and reduced. Of whole blocks
/// of channels most of the time. Bounded, so that two correct implementations agree. The same for
/// the same seed.
std::unique_ptr<ir::Graph> random_images(uint64_t seed);

}  // namespace wick::testing_support
