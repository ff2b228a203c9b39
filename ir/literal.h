#pragma once

// A tensor value in host memory: constants of the IR, inputs and outputs of the interpreter.

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "wick/ir/check.h"
#include "wick/ir/type.h"

namespace wick {

class Literal {
 public:
  Literal() = default;
  /// Zeros of this type.
  explicit Literal(Type type);
  Literal(Type type, std::span<const std::byte> bytes);

  /// A rank-0 value; `value` is converted to `dtype` as a C++ cast does.
  static Literal scalar(DType dtype, double value);
  static Literal scalar_integer(DType dtype, int64_t value);

  template <typename T>
  static Literal from(Shape shape, std::span<const T> values) {
    return {Type{dtype_of<T>(), std::move(shape)}, std::as_bytes(values)};
  }

  [[nodiscard]] const Type& type() const { return type_; }

  [[nodiscard]] int64_t numel() const { return type_.numel(); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  [[nodiscard]] std::byte* data() { return bytes_.data(); }

  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }

  template <typename T>
  [[nodiscard]] std::span<const T> values() const {
    check(dtype_of<T>() == type_.dtype, "literal read with its own element type");
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<size_t>(numel())};
  }

  template <typename T>
  [[nodiscard]] std::span<T> mutable_values() {
    check(dtype_of<T>() == type_.dtype, "literal written with its own element type");
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<size_t>(numel())};
  }

  /// Element i (row-major) converted; integers beyond 2^53 lose digits in the double form.
  [[nodiscard]] double as_double(int64_t i) const;
  [[nodiscard]] int64_t as_integer(int64_t i) const;
  /// Every element equals `value`, and there is one at least.
  [[nodiscard]] bool is_splat(double value) const;

  /// Same type and bits.
  friend bool operator==(const Literal&, const Literal&);

 private:
  Type type_;
  std::vector<std::byte> bytes_;
};

}  // namespace wick
