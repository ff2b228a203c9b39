#include "c_emitter.h"

namespace c_backend {

std::string_view prelude() {
  return R"c(#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Narrow floats are kept as bits and computed in float.
typedef uint16_t f16;
typedef uint16_t bf16;

static inline uint32_t bits_of_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float f32_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline double f64_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float f16_to_f32(f16 h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
  const uint32_t magnitude = h & 0x7fff;
  if (magnitude >= 0x7c00) return f32_of_bits(sign | 0x7f800000 | magnitude << 13);
  if (magnitude >= 0x0400) return f32_of_bits(sign | ((magnitude << 13) + 0x38000000));
  return f32_of_bits(sign | bits_of_f32((float)magnitude * 0x1p-24f));
}

// To the nearest, ties to even.
static inline f16 f32_to_f16(float x) {
  const uint32_t sign = bits_of_f32(x) >> 16 & 0x8000;
  const uint32_t magnitude = bits_of_f32(x) & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Below the normal numbers: a sum with 0.5 has its last bit where the result has it.
  if (magnitude < 0x38800000) return sign | (bits_of_f32(fabsf(x) + 0.5f) - 0x3f000000);
  return sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
}

static inline float bf16_to_f32(bf16 x) { return f32_of_bits((uint32_t)x << 16); }

static inline bf16 f32_to_bf16(float x) {
  const uint32_t bits = bits_of_f32(x);
  if (isnan(x)) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// A float that rounds to a narrower format as x would: what it lacks makes its last bit 1.
static inline float odd_f32(double x) {
  const float nearest = (float)x;
  const uint32_t bits = bits_of_f32(nearest);
  if ((double)nearest == x || isnan(x) || isinf(nearest) || (bits & 1)) return nearest;
  return f32_of_bits(fabs((double)nearest) > fabs(x) ? bits - 1 : bits + 1);
}

// The same for an integer that a double may not hold.
static inline double odd_f64(int64_t x) {
  const uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
  uint64_t kept = magnitude;
  if (magnitude >> 53 && (magnitude & 0x7ff)) kept = (magnitude | 0x800) & ~(uint64_t)0x7ff;
  return x < 0 ? -(double)kept : (double)kept;
}

// The larger and the smaller of two, or NaN; remainders with the sign of y, as Python's.
#define FLOAT_FUNCTIONS(name, type, exp, fmod, copysign)                     \
  static inline type larger_##name(type x, type y) {                         \
    return isnan(x) || x >= y ? x : y;                                       \
  }                                                                          \
  static inline type smaller_##name(type x, type y) {                        \
    return isnan(x) || x <= y ? x : y;                                       \
  }                                                                          \
  static inline type sigmoid_##name(type x) {                                \
    const type power = exp(x < 0 ? x : -x); /* does not overflow */          \
    return (x < 0 ? power : 1) / (1 + power);                                \
  }                                                                          \
  static inline type rem_##name(type x, type y) {                            \
    const type rest = fmod(x, y);                                            \
    if (rest == 0) return copysign(0, y);                                    \
    return (rest < 0) != (y < 0) ? rest + y : rest;                          \
  }
FLOAT_FUNCTIONS(f32, float, expf, fmodf, copysignf)
FLOAT_FUNCTIONS(f64, double, exp, fmod, copysign)

// Toward 0, at most as far as the type goes, 0 for NaN. `above` is the first number too large.
#define SATURATE(name, type, low, high, above)           \
  static inline type saturate_##name(double x) {         \
    if (isnan(x)) return 0;                              \
    return x <= low ? low : x >= above ? high : (type)x; \
  }
SATURATE(i8, int8_t, INT8_MIN, INT8_MAX, 0x1p7)
SATURATE(i16, int16_t, INT16_MIN, INT16_MAX, 0x1p15)
SATURATE(i32, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
SATURATE(i64, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
SATURATE(u8, uint8_t, 0, UINT8_MAX, 0x1p8)

// Division of integers rounds down; by 0 it gives 0.
static inline int64_t floor_div(int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (y == -1) return -x;  // the processor traps at the smallest number
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static inline int64_t floor_rem(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static inline int64_t shift_left(int64_t x, int64_t y, int width) {
  return y < 0 || y >= width ? 0 : (int64_t)((uint64_t)x << y);
}

static inline int64_t shift_right(int64_t x, int64_t y, int width) {
  return y < 0 || y >= width ? (x < 0 ? -1 : 0) : x >> y;
}

// An element of a tensor of random words: Philox 4x32-10.
static inline int32_t random_word(int64_t key, int64_t offset, int64_t element) {
  const uint64_t counter = (uint64_t)(offset + element / 64 * 16 + element % 16);
  uint32_t key0 = (uint32_t)key, key1 = (uint32_t)((uint64_t)key >> 32);
  uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = UINT64_C(0xd2511f53) * words[0];
    const uint64_t product1 = UINT64_C(0xcd9e8d57) * words[2];
    words[0] = (uint32_t)(product1 >> 32) ^ words[1] ^ key0;
    words[1] = (uint32_t)product1;
    words[2] = (uint32_t)(product0 >> 32) ^ words[3] ^ key1;
    words[3] = (uint32_t)product0;
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return (int32_t)words[element / 16 % 4];
}
)c";
}

}  // namespace c_backend
