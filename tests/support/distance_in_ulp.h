#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace wick::testing_support {

/// In units of the last place of a number of type T near `exact`.
template <typename T>
double distance_in_ulp(T actual, long double exact) {
  using Limits = std::numeric_limits<T>;
  constexpr int kLeastPlace = Limits::min_exponent - Limits::digits;
  constexpr double kWrong = 1e9;
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) == std::isnan(actual) ? 0 : kWrong;
  const auto rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(actual)) return rounded == actual ? 0 : kWrong;
  const int place =
      rounded == 0 ? kLeastPlace : std::max(std::ilogb(rounded) - Limits::digits + 1, kLeastPlace);
  return static_cast<double>(
      std::abs(std::ldexp(static_cast<long double>(actual) - exact, -place)));
}

}  // namespace wick::testing_support
