#pragma once

// Vectors of 8 floats for code by hand, in the compiler's own notation. Functions that use them are
// for machines that have_vectors(). Internal to runtime/.

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

inline bool have_vectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
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

}  // namespace wick::runtime
