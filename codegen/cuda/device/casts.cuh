// Conversions between element types: the rules of ir/convert.h.

namespace wick {

/// Toward zero, saturating, 0 for NaN.
template <class To, class From>
inline To saturate(From x) {
  // The largest i64 is no float; 2^63 is, and nothing between can come in.
  constexpr From kAbove = From(Limits<To>::high() / 2 + 1) * 2;
  if (x != x) return 0;
  if (x <= From(Limits<To>::low())) return Limits<To>::low();
  return x >= kAbove ? Limits<To>::high() : To(x);
}

template <class To>
struct Cast {
  template <class From>
  static To of(From x) {
    if constexpr (kIsFloat<From> && !kIsFloat<To>) {
      return saturate<To>(x);
    } else {
      return To(x);
    }
  }
};

template <>
struct Cast<bool> {
  template <class From>
  static bool of(From x) {
    return x != From(0);
  }
};

/// Rounds to float so that a second rounding to a narrower format gives what one rounding would:
/// round to odd (Boldo and Melquiond, 2008).
inline float to_odd(double x) {
  const float nearest = float(x);
  const double back = double(nearest);
  const double size = back < 0 ? -back : back;
  const u32 bits = bits_as<u32>(nearest);
  if (back == x || x != x || x - x != 0 || (bits & 1) != 0) return nearest;
  return bits_as<float>(size > (x < 0 ? -x : x) ? bits - 1 : bits + 1);
}

/// The same for integers that a double does not hold.
inline double to_odd(i64 x) {
  constexpr i64 kExact = i64(1) << 53;
  if (x >= -kExact && x <= kExact) return double(x);
  constexpr u64 kLost = 0x7FF;
  u64 size = x < 0 ? 0 - u64(x) : u64(x);
  if ((size & kLost) != 0) size = (size | (kLost + 1)) & ~kLost;
  return x < 0 ? -double(size) : double(size);
}

/// A float that rounds to f16 or bf16 as x does.
template <class From>
inline float before_half(From x) {
  if constexpr (sizeof(From) < 4) {
    return float(x);
  } else if constexpr (kIsFloat<From>) {
    if constexpr (sizeof(From) == 8) return to_odd(x);
    return float(x);
  } else {
    return to_odd(to_odd(i64(x)));
  }
}

template <>
struct Cast<Half> {
  template <class From>
  static float of(From x) {
    return round_to_half(before_half(x));
  }
};

template <>
struct Cast<BFloat> {
  template <class From>
  static float of(From x) {
    return round_to_bfloat(before_half(x));
  }
};

/// The bits of a value whose type in memory is From, as a value whose type there is To.
template <class To, class From, class Register>
inline auto cast_bits(Register x) {
  return from_memory(bits_as<To>(to_memory(x, From())));
}

}  // namespace wick
