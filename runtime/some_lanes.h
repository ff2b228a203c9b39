#pragma once

// Vectors of which only the first lanes are in memory. Internal to runtime/, as vector_lanes.h is.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "wick/runtime/vector_lanes.h"

namespace wick::runtime {

inline namespace WICK_LANES_NAMESPACE {

/// The first `count` lanes, 1 to kLanes of them. Nothing behind them is read or written.
class SomeLanes {
 public:
#if defined(__x86_64__) && WICK_LANES == 16
  WICK_INLINE_VECTORS explicit SomeLanes(int64_t count)
      : mask_(static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U)) {}

  WICK_INLINE_VECTORS Floats load(const float* from) const {
    return _mm512_maskz_loadu_ps(mask_, from);
  }

  WICK_INLINE_VECTORS void store(float* to, Floats vector) const {
    _mm512_mask_storeu_ps(to, mask_, vector);
  }

 private:
  __mmask16 mask_;
#elif defined(__x86_64__)
  WICK_INLINE_VECTORS explicit SomeLanes(int64_t count) {
    constexpr Ints kNumbers = {0, 1, 2, 3, 4, 5, 6, 7};
    mask_ = kNumbers < static_cast<int32_t>(count) - Ints{};
  }

  WICK_INLINE_VECTORS Floats load(const float* from) const {
    return _mm256_maskload_ps(from, reinterpret_cast<__m256i>(mask_));
  }

  WICK_INLINE_VECTORS void store(float* to, Floats vector) const {
    _mm256_maskstore_ps(to, reinterpret_cast<__m256i>(mask_), vector);
  }

 private:
  Ints mask_;
#else
  explicit SomeLanes(int64_t count) : bytes_(static_cast<size_t>(count) * sizeof(float)) {}

  Floats load(const float* from) const {
    Floats vector{};
    std::memcpy(&vector, from, bytes_);
    return vector;
  }

  void store(float* to, Floats vector) const { std::memcpy(to, &vector, bytes_); }

 private:
  size_t bytes_;
#endif
};

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime
