#pragma once

// Vectors of 8 floats, integers or bytes for code by hand, in the compiler's own notation.
// Functions that use them are for machines that have_vectors(). Internal to runtime/.

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#define WICK_VECTORS [[gnu::target("avx2,fma")]]
#else
#define WICK_VECTORS
#endif
#define WICK_INLINE_VECTORS WICK_VECTORS [[gnu::always_inline]] inline

namespace wick::runtime {

constexpr int64_t kLanes = 8;
using Floats [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using Ints [[gnu::vector_size(kLanes * sizeof(int32_t))]] = int32_t;
using Bytes [[gnu::vector_size(kLanes)]] = uint8_t;

inline bool have_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

/// So many elements, filled up to whole vectors.
constexpr int64_t whole_vectors(int64_t elements) {
  return (elements + kLanes - 1) / kLanes * kLanes;
}

/// From any address.
template <typename Vector = Floats, typename T>
WICK_INLINE_VECTORS Vector load(const T* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

template <typename Vector, typename T>
WICK_INLINE_VECTORS void store(T* to, Vector vector) {
  std::memcpy(to, &vector, sizeof(vector));
}

/// The lanes that lie before `end`.
template <typename Vector, typename T>
WICK_INLINE_VECTORS void store_before(const T* end, T* to, Vector vector) {
  const int64_t room = end - to;
  if (room >= kLanes) {
    store(to, vector);
  } else if (room > 0) {
    std::memcpy(to, &vector, static_cast<size_t>(room) * sizeof(T));
  }
}

}  // namespace wick::runtime
