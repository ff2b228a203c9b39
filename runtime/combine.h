#pragma once

// How two values become one, for the ops along an axis that run as native code. Integers wrap,
// bools are or (add) and and (mul), NaN wins a max or min: as ir/semantics.h has it.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "wick/ir/dtype.h"

namespace wick::runtime {

/// What a T is computed in: halves are no numbers to C++.
template <typename T>
using Computed =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};

struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

template <typename T>
bool is_nan(T value) {
  if constexpr (std::floating_point<T>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

// A NaN that a holds stays, for it compares false.

struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b || is_nan(b) ? b : a;
  }
};

struct Minimum {
  template <typename T>
  T operator()(T a, T b) const {
    return b < a || is_nan(b) ? b : a;
  }
};

/// log(sum) + high, the logarithm of a sum of exponentials. Those are of what is below the highest,
/// so that none overflows; to add one waits for no logarithm.
struct LogSum {
  double high;
  double sum;

  [[nodiscard]] double value() const { return high + std::log(sum); }
};

struct LogAddExp {
  LogSum operator()(LogSum a, LogSum b) const {
    if (a.high == b.high) return {a.high, a.sum + b.sum};  // be they infinite
    if (a.high > b.high) return {a.high, a.sum + b.sum * std::exp(b.high - a.high)};
    return {b.high, a.sum * std::exp(a.high - b.high) + b.sum};
  }
};

struct Replace {
  template <typename T>
  T operator()(T /*a*/, T b) const {
    return b;
  }
};

}  // namespace wick::runtime
