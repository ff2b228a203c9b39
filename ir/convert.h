#pragma once

// Conversion between element types: the one place that says what a cast does. Internal to ir/.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "wick/ir/dtype.h"

namespace wick::ir {

template <typename T>
inline constexpr bool kIsFloat = dtype_of<T>() <= DType::bf16;

/// Rounds to float so that a second rounding to a narrower format gives what one rounding from
/// double would (round to odd: Boldo and Melquiond, 2008).
inline float to_odd_float(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || std::isnan(value) || std::isinf(value)) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if ((bits & 1U) != 0) return nearest;
  // The odd neighbour on the other side of value.
  const bool away = std::abs(back) > std::abs(value);
  bits = away ? bits - 1 : bits + 1;
  return std::bit_cast<float>(bits);
}

/// The same for integers that a double does not hold.
inline double to_odd_double(int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53U;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  constexpr uint64_t kLost = 0x7FFU;
  const bool negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if ((magnitude & kLost) != 0) magnitude = (magnitude | (kLost + 1)) & ~kLost;
  const auto exact = static_cast<double>(magnitude);
  return negative ? -exact : exact;
}

/// A double to an integer: toward zero, saturating, 0 for NaN.
template <typename T>
T saturate(double value) {
  constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
  // The largest i64 is no double; 2^63 is, and nothing between can come in.
  constexpr double kAbove = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (std::isnan(value)) return 0;
  if (value <= kLow) return std::numeric_limits<T>::min();
  if (value >= kAbove) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <typename T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return saturate<T>(value);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(to_odd_float(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
T from_integer(int64_t value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);  // by way of double it would round twice
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(value);
  } else {
    return T(to_odd_float(to_odd_double(value)));
  }
}

template <typename T>
double to_double(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return static_cast<double>(value);
  }
}

template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsFloat<From>) {
    return from_double<To>(to_double(value));
  } else {
    return from_integer<To>(static_cast<int64_t>(value));
  }
}

}  // namespace wick::ir
