#include "wick/ir/channel_blocks.h"

#include <vector>

namespace wick::ir {

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

}  // namespace wick::ir
