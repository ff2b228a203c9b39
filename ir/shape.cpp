#include "wick/ir/shape.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wick {

Shape::Shape(std::span<const int64_t> extents) : rank_(static_cast<int>(extents.size())) {
  if (!is_inline()) heap_ = new int64_t[extents.size()];  // NOLINT(*-owning-memory)
  std::copy(extents.begin(), extents.end(), data());
}

Shape::Shape(const Shape& other) : Shape(other.extents()) {}

Shape::Shape(Shape&& other) noexcept : rank_(std::exchange(other.rank_, 0)) {
  std::memcpy(inline_, other.inline_, sizeof inline_);  // the pointer, for high ranks
}

Shape& Shape::operator=(Shape other) noexcept {
  std::swap(rank_, other.rank_);
  std::swap(inline_, other.inline_);
  return *this;
}

Shape::~Shape() {
  if (!is_inline()) delete[] heap_;  // NOLINT(*-owning-memory)
}

int64_t Shape::numel() const {
  // Unsigned: extents not yet checked by infer_type may overflow without undefined behaviour.
  uint64_t product = 1;
  for (const int64_t extent : *this) {
    product *= static_cast<uint64_t>(extent);
  }
  return static_cast<int64_t>(product);
}

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
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
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

}  // namespace wick
