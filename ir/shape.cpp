#include "wick/ir/shape.h"

#include <algorithm>

namespace wick {

Shape::Shape(std::span<const int64_t> extents) : rank_(static_cast<int>(extents.size())) {
  if (!is_inline()) heap_ = new int64_t[extents.size()];  // NOLINT(*-owning-memory)
  std::copy(extents.begin(), extents.end(), data());
}

void Shape::copy_many(const Shape& other) {
  heap_ = new int64_t[static_cast<size_t>(rank_)];  // NOLINT(*-owning-memory)
  std::copy(other.begin(), other.end(), heap_);
}

int64_t Shape::numel() const {
  // Unsigned: extents not yet checked by infer_type may overflow without undefined behaviour.
  uint64_t product = 1;
  for (const int64_t extent : *this) {
    product *= static_cast<uint64_t>(extent);
  }
  return static_cast<int64_t>(product);
}

std::vector<int64_t> row_major_strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.ndim()));
  int64_t stride = 1;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.ndim() >= b.ndim() ? a : b;
  const Shape& shorter = a.ndim() >= b.ndim() ? b : a;
  const int offset = longer.ndim() - shorter.ndim();
  Shape result = longer;
  for (int axis = 0; axis < shorter.ndim(); ++axis) {
    const int64_t x = longer[axis + offset];
    const int64_t y = shorter[axis];
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result.set(axis + offset, x == 1 ? y : x);
  }
  return result;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) {
    if (text.size() > 1) text += ',';
    text += std::to_string(extent);
  }
  return text + "]";
}

}  // namespace wick
