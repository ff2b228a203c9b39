#pragma once

// Quotients of integers that are not rounded to zero, and multiples. Internal to runtime/.

#include <cstddef>
#include <cstdint>

namespace wick::runtime {

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Bytes with what follows up to the next multiple; unless told, that at which all memory managers
/// begin blocks.
constexpr size_t aligned(size_t bytes, size_t alignment = 64) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace wick::runtime
