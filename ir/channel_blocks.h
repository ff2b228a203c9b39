#pragma once

// Images with their channels in blocks: [n,c,...] as [n,c/b,...,b], what vector units like best.
// The layout is a matter of the compiler: passes/layout.h brings it in, and no tensor shows it.

#include "wick/ir/shape.h"

namespace wick::ir {

/// [n,c,...] as [n,c/block,...,block].
Shape with_channel_blocks(const Shape& shape, int64_t block);
/// And back.
Shape without_channel_blocks(const Shape& shape);

/// Channels in a block of the images of a convolution with this weight, which have an axis more
/// than it where they are in blocks; 1 where they are [n,c,...].
int64_t channel_block(const Shape& images, const Shape& weight);
/// The shape of such images as [n,c,...].
Shape plain_images(const Shape& images, const Shape& weight);

}  // namespace wick::ir
