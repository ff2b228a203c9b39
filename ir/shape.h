#pragma once

// Extents of a tensor, row-major, with the first few held inline.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wick {

using Axes = std::vector<int64_t>;

/// The extents of a tensor; rank 0 is a scalar. Extents are not negative.
class Shape {
 public:
  static constexpr int kInline = 4;

  Shape() = default;

  Shape(std::initializer_list<int64_t> extents)
      : Shape(std::span<const int64_t>(extents.begin(), extents.size())) {}

  explicit Shape(std::span<const int64_t> extents);

  Shape(const Shape& other) : rank_(other.rank_) {
    if (is_inline()) {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    } else {
      copy_many(other);
    }
  }

  Shape(Shape&& other) noexcept : rank_(std::exchange(other.rank_, 0)) {
    std::memcpy(inline_, other.inline_, sizeof inline_);  // the pointer, for high ranks
  }

  Shape& operator=(Shape other) noexcept {
    std::swap(rank_, other.rank_);
    std::swap(inline_, other.inline_);
    return *this;
  }

  ~Shape() {
    if (!is_inline()) delete[] heap_;  // NOLINT(*-owning-memory)
  }

  [[nodiscard]] int ndim() const { return rank_; }

  [[nodiscard]] int64_t operator[](int axis) const { return data()[axis]; }

  void set(int axis, int64_t extent) { data()[axis] = extent; }

  [[nodiscard]] const int64_t* begin() const { return data(); }

  [[nodiscard]] const int64_t* end() const { return data() + rank_; }

  [[nodiscard]] std::span<const int64_t> extents() const {
    return {data(), static_cast<size_t>(rank_)};
  }

  /// Product of the extents; 1 for a scalar.
  [[nodiscard]] int64_t numel() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  void copy_many(const Shape& other);

  [[nodiscard]] bool is_inline() const { return rank_ <= kInline; }

  [[nodiscard]] const int64_t* data() const { return is_inline() ? inline_ : heap_; }

  int64_t* data() { return is_inline() ? inline_ : heap_; }

  int rank_ = 0;

  union {
    int64_t inline_[kInline] = {};
    int64_t* heap_;
  };
};

/// Row-major strides in elements.
std::vector<int64_t> row_major_strides(const Shape& shape);

/// NumPy broadcasting of two shapes; empty when some extents differ and neither is 1.
std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b);

/// `[64,784]`; a scalar is `[]`.
std::string to_string(const Shape& shape);

}  // namespace wick
