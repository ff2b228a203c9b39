#pragma once

// The floats of a tensor as text, by the rules of NumPy's FloatingFormat. Internal.

#include <span>
#include <string>

#include "wick/ir/dtype.h"
#include "wick/tensor/print.h"

namespace wick::detail {

/// One notation for all of some numbers: positional, or scientific where they are large, small or
/// far apart, and as many digits as the one that needs most.
class FloatNotation {
 public:
  FloatNotation(std::span<const double> values, DType dtype, const PrintOptions& options);

  /// Padded, so that the points of all numbers stand below each other.
  [[nodiscard]] std::string text(double value) const;

 private:
  DType dtype_;
  int precision_;
  bool scientific_ = false;
  size_t before_point_ = 0;  // columns
  size_t after_point_ = 0;
  size_t exponent_ = 0;  // digits
};

/// A number by itself, with all its digits: `2.0`, `1e+20`.
std::string single_float_text(double value, DType dtype);

}  // namespace wick::detail
