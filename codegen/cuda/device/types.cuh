// What every program of kernels begins with. CUDA C++ that a C++ compiler accepts too, so that tests
// run it on the host; NVRTC reads it with --device-as-default-execution-space.
//
// f16 and bf16 are `Half` and `BFloat` in memory and float in registers.

namespace wick {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

struct Half {
  u16 bits;
};

struct BFloat {
  u16 bits;
};

/// The parameter table of a launch.
template <int N>
struct Params {
  i64 at[N];
};

/// Elements that move in one access.
template <class T, int N>
struct alignas(sizeof(T) * N) Vec {
  T at[N];
};

template <class T>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float> = true;
template <>
constexpr bool kIsFloat<double> = true;

template <class T>
struct Limits {
  static constexpr bool kSigned = T(-1) < T(0);
  static constexpr u64 kBits = sizeof(T) * 8;
  static constexpr T high() { return T(~u64(0) >> (64 - kBits + (kSigned ? 1 : 0))); }
  static constexpr T low() { return kSigned ? T(-i64(high()) - 1) : T(0); }
};

template <class To, class From>
inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  union {
    From from;
    To to;
  } both = {value};
  return both.to;
}

// The only instructions that C++ has no word for; on the host tests define them.
#ifndef WICK_ON_HOST
inline float float_of_f16(u16 bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

inline u16 f16_of_float(float x) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}

inline u16 bf16_of_float(float x) {
  u16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#endif

inline float widen(Half x) {
  return float_of_f16(x.bits);
}

inline float widen(BFloat x) {
  return bits_as<float>(u32(x.bits) << 16);
}

inline Half to_half(float x) {
  return {f16_of_float(x)};
}

inline BFloat to_bfloat(float x) {
  return {bf16_of_float(x)};
}

inline float round_to_half(float x) {
  return widen(to_half(x));
}

inline float round_to_bfloat(float x) {
  return widen(to_bfloat(x));
}

// Memory to register and back.
template <class T>
inline T from_memory(T x) {
  return x;
}

inline float from_memory(Half x) {
  return widen(x);
}

inline float from_memory(BFloat x) {
  return widen(x);
}

template <class T>
inline T to_memory(T x, T) {
  return x;
}

inline Half to_memory(float x, Half) {
  return to_half(x);
}

inline BFloat to_memory(float x, BFloat) {
  return to_bfloat(x);
}

template <class T, class Register>
inline void put(T* place, Register value) {
  *place = to_memory(value, T());
}

template <int N, class T>
inline Vec<T, N> load_vector(const T* place) {
  return *reinterpret_cast<const Vec<T, N>*>(place);
}

template <int N, class T>
inline void store_vector(T* place, const Vec<T, N>& values) {
  *reinterpret_cast<Vec<T, N>*>(place) = values;
}

}  // namespace wick

using namespace wick;
