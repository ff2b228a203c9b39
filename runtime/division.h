#pragma once

// Quotients of integers that are not rounded to zero. Internal to runtime/.

#include <cstdint>

namespace wick::runtime {

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace wick::runtime
