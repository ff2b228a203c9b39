#include "random_values.h"

#include <algorithm>
#include <type_traits>

#include "wick/ir/interpreter.h"

namespace wick::run {

namespace {

/// A number in [0, 1) with 24 bits: exact as f32.
double unit(uint64_t key, int64_t i) {
  constexpr double kStep = 1.0 / (1 << 24);
  return (ir::philox(key, static_cast<uint64_t>(i)).words[0] >> 8U) * kStep;
}

double value(DType dtype, const ValueDomain& domain, double unit) {
  if (dtype == DType::bool_) return unit < 0.5 ? 0 : 1;
  if (is_float(dtype)) return domain.positive ? 1 - unit : 2 * unit - 1;
  constexpr int64_t kUsual = 10;
  constexpr int64_t kMost = 127;  // fits every integer dtype
  int64_t below = std::max<int64_t>(domain.below.value_or(kUsual), 1);
  if (size_of(dtype) == 1) below = std::min(below, kMost);
  return static_cast<double>(static_cast<int64_t>(unit * static_cast<double>(below)));
}

}  // namespace

Literal random_values(const Type& type, const ValueDomain& domain, uint64_t key) {
  Literal literal(type);
  visit_dtype(type.dtype, [&]<typename T>() {
    int64_t i = 0;
    for (T& element : literal.mutable_values<T>()) {
      const double drawn = value(type.dtype, domain, unit(key, i++));
      if constexpr (std::is_arithmetic_v<T>) {
        element = static_cast<T>(drawn);
      } else {
        element = static_cast<T>(static_cast<float>(drawn));
      }
    }
  });
  return literal;
}

}  // namespace wick::run
