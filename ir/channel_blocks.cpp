#include "wick/ir/channel_blocks.h"

#include <vector>

namespace wick::ir {

namespace {

bool in_blocks(const Shape& images, const Shape& weight) {
  return weight.ndim() >= 3 && images.ndim() == weight.ndim() + 1;
}

}  // namespace

Shape with_channel_blocks(const Shape& shape, int64_t block) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  extents[1] /= block;
  extents.push_back(block);
  return Shape(std::span<const int64_t>(extents));
}

Shape without_channel_blocks(const Shape& shape) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  extents[1] *= extents.back();
  extents.pop_back();
  return Shape(std::span<const int64_t>(extents));
}

int64_t channel_block(const Shape& images, const Shape& weight) {
  return in_blocks(images, weight) ? images[images.ndim() - 1] : 1;
}

Shape plain_images(const Shape& images, const Shape& weight) {
  return in_blocks(images, weight) ? without_channel_blocks(images) : images;
}

}  // namespace wick::ir
