#pragma once

// The type of a value: dtype and shape.

#include <string>

#include "wick/ir/dtype.h"
#include "wick/ir/shape.h"

namespace wick {

struct Type {
  DType dtype = DType::f32;
  Shape shape;

  friend bool operator==(const Type&, const Type&) = default;

  [[nodiscard]] int64_t numel() const { return shape.numel(); }

  [[nodiscard]] size_t num_bytes() const { return static_cast<size_t>(numel()) * size_of(dtype); }
};

/// `f32[64,784]`.
std::string to_string(const Type& type);

}  // namespace wick
