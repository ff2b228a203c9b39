#pragma once

// Vectors of floats, integers or bytes for code by hand, in the compiler's own notation. Sources
// that are also compiled with WICK_LANES=16 (CMakeLists.txt) exist for machines with AVX-512 too:
// whoever calls them asks vector_lanes(). Everything else has vectors of 8, for machines that
// have_vectors(). Internal to runtime/.

#include <cstdint>
#include <cstring>

#if !defined(WICK_LANES)
#define WICK_LANES 8
#endif

#if WICK_LANES == 16
#define WICK_LANES_NAMESPACE lanes_16
#define WICK_VECTORS_ISA "avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512"
#else
#define WICK_LANES_NAMESPACE lanes_8
#define WICK_VECTORS_ISA "avx2,fma"
#endif

#if defined(__x86_64__)
#define WICK_VECTORS [[gnu::target(WICK_VECTORS_ISA)]]
#else
#define WICK_VECTORS
#endif
#define WICK_INLINE_VECTORS WICK_VECTORS [[gnu::always_inline]] inline

namespace wick::runtime {

/// 16, 8, or 0 where there are no vectors for code by hand.
inline int64_t vector_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0) {
    return 16;
  }
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? 8 : 0;
#else
  return 8;
#endif
}

inline bool have_vectors() {
  return vector_lanes() >= 8;
}

/// Of the widest vectors that divide blocks of so many channels: 16, 8 or 0.
inline int64_t vector_lanes_of_blocks(int64_t channels) {
  if (channels % 16 == 0 && vector_lanes() == 16) return 16;
  return channels % 8 == 0 && have_vectors() ? 8 : 0;
}

inline namespace WICK_LANES_NAMESPACE {

constexpr int64_t kLanes = WICK_LANES;
using Floats [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using Ints [[gnu::vector_size(kLanes * sizeof(int32_t))]] = int32_t;
using Bytes [[gnu::vector_size(kLanes)]] = uint8_t;

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

/// In every lane the same.
WICK_INLINE_VECTORS Floats broadcast(float value) {
  return value - Floats{};
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

}  // namespace WICK_LANES_NAMESPACE
}  // namespace wick::runtime
