// One function `op_NAME` for each elementwise op of ir/ops.def: the rules of ir/semantics.cpp.
// Integers wrap. f16 and bf16 come as float and are rounded by the caller.

namespace wick {

template <class T>
inline T op_add(T x, T y) {
  if constexpr (kIsFloat<T>) return x + y;
  return T(u64(x) + u64(y));
}

inline bool op_add(bool x, bool y) {
  return x || y;
}

template <class T>
inline T op_sub(T x, T y) {
  if constexpr (kIsFloat<T>) return x - y;
  return T(u64(x) - u64(y));
}

inline bool op_sub(bool x, bool y) {
  return x != y;
}

template <class T>
inline T op_mul(T x, T y) {
  if constexpr (kIsFloat<T>) return x * y;
  return T(u64(x) * u64(y));
}

inline bool op_mul(bool x, bool y) {
  return x && y;
}

/// Rounds down; 0 where y is 0.
template <class T>
inline T op_div(T x, T y) {
  if constexpr (kIsFloat<T>) {
    return x / y;
  } else {
    if (y == 0) return 0;
    if (Limits<T>::kSigned && y == T(-1)) return T(0 - u64(x));  // the lowest number has no negative
    const T quotient = T(x / y);
    return x % y != 0 && (x < 0) != (y < 0) ? T(quotient - 1) : quotient;
  }
}

inline bool op_div(bool x, bool y) {
  return x && y;
}

inline float remainder_to_zero(float x, float y) {
  return fmodf(x, y);
}

inline double remainder_to_zero(double x, double y) {
  return fmod(x, y);
}

/// Has the sign of y.
template <class T>
inline T op_rem(T x, T y) {
  if constexpr (kIsFloat<T>) {
    const T rest = remainder_to_zero(x, y);
    if (rest == 0) return y < 0 || (y == 0 && 1 / y < 0) ? T(-0.0) : T(0);
    return (rest < 0) != (y < 0) ? rest + y : rest;
  } else {
    if (y == 0 || (Limits<T>::kSigned && y == T(-1))) return 0;
    const T rest = T(x % y);
    return rest != 0 && (rest < 0) != (y < 0) ? T(rest + y) : rest;
  }
}

inline bool op_rem(bool, bool) {
  return false;
}

template <class T>
inline T op_neg(T x) {
  if constexpr (kIsFloat<T>) return -x;
  return T(0 - u64(x));
}

inline bool op_neg(bool x) {
  return x;
}

template <class T>
inline T op_abs(T x) {
  return x < 0 ? op_neg(x) : x;
}

inline bool op_abs(bool x) {
  return x;
}

inline float op_abs(float x) {
  return fabsf(x);
}

inline double op_abs(double x) {
  return fabs(x);
}

/// NaN where either is.
template <class T>
inline T op_maximum(T x, T y) {
  return x >= y || x != x ? x : y;
}

template <class T>
inline T op_minimum(T x, T y) {
  return x <= y || x != x ? x : y;
}

template <class T>
inline bool op_eq(T x, T y) {
  return x == y;
}

template <class T>
inline bool op_ne(T x, T y) {
  return x != y;
}

template <class T>
inline bool op_lt(T x, T y) {
  return x < y;
}

template <class T>
inline bool op_le(T x, T y) {
  return x <= y;
}

inline bool op_logical_not(bool x) {
  return !x;
}

template <class T>
inline T op_bit_and(T x, T y) {
  return T(x & y);
}

template <class T>
inline T op_bit_or(T x, T y) {
  return T(x | y);
}

template <class T>
inline T op_bit_xor(T x, T y) {
  return T(x ^ y);
}

/// 0 where y is negative or the width at least.
template <class T>
inline T op_shift_left(T x, T y) {
  return u64(y) < Limits<T>::kBits ? T(u64(x) << u64(y)) : T(0);
}

template <class T>
inline T op_shift_right(T x, T y) {
  if (u64(y) >= Limits<T>::kBits) return x < 0 ? T(-1) : T(0);
  return T(x >> y);
}

template <class T>
inline T op_where(bool condition, T x, T y) {
  return condition ? x : y;
}

inline float op_floor(float x) { return floorf(x); }
inline double op_floor(double x) { return floor(x); }
inline float op_round(float x) { return rintf(x); }
inline double op_round(double x) { return rint(x); }
inline float op_exp(float x) { return expf(x); }
inline double op_exp(double x) { return exp(x); }
inline float op_log(float x) { return logf(x); }
inline double op_log(double x) { return log(x); }
inline float op_sqrt(float x) { return sqrtf(x); }
inline double op_sqrt(double x) { return sqrt(x); }
inline float op_sin(float x) { return sinf(x); }
inline double op_sin(double x) { return sin(x); }
inline float op_cos(float x) { return cosf(x); }
inline double op_cos(double x) { return cos(x); }
inline float op_atan(float x) { return atanf(x); }
inline double op_atan(double x) { return atan(x); }
inline float op_tanh(float x) { return tanhf(x); }
inline double op_tanh(double x) { return tanh(x); }
inline float op_erf(float x) { return erff(x); }
inline double op_erf(double x) { return erf(x); }
inline float op_pow(float x, float y) { return powf(x, y); }
inline double op_pow(double x, double y) { return pow(x, y); }

/// exp never overflows, so that the result goes to 0 through the denormals.
template <class T>
inline T op_sigmoid(T x) {
  const T power = op_exp(-op_abs(x));
  return (x < 0 ? power : T(1)) / (1 + power);
}

}  // namespace wick
