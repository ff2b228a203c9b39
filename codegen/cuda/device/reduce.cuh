// Reductions. A reduction R has a State, the State of nothing, how a value enters and how two States
// merge; merging is commutative, so that all threads that exchange States get the same bits.

namespace wick {

template <class T>
struct Sum {
  using State = T;
  static State start() { return T(0); }
  static State merge(State x, State y) { return op_add(x, y); }
  static T result(State x) { return x; }
};

template <class T>
struct Product {
  using State = T;
  static State start() { return T(1); }
  static State merge(State x, State y) { return op_mul(x, y); }
  static T result(State x) { return x; }
};

/// No value is worse.
template <class T>
inline T worst_of_max() {
  if constexpr (kIsFloat<T>) return T(-1) / T(0);
  return Limits<T>::low();
}

template <>
inline bool worst_of_max<bool>() {
  return false;
}

template <class T>
inline T worst_of_min() {
  if constexpr (kIsFloat<T>) return T(1) / T(0);
  return Limits<T>::high();
}

template <>
inline bool worst_of_min<bool>() {
  return true;
}

template <class T>
struct Max {
  using State = T;
  static State start() { return worst_of_max<T>(); }
  static State merge(State x, State y) { return op_maximum(x, y); }
  static T result(State x) { return x; }
};

template <class T>
struct Min {
  using State = T;
  static State start() { return worst_of_min<T>(); }
  static State merge(State x, State y) { return op_minimum(x, y); }
  static T result(State x) { return x; }
};

template <class T>
struct Placed {
  i64 position;
  T value;
};

/// The first of the largest; NaN is largest.
template <class T>
struct ArgMax {
  using State = Placed<T>;
  static State start() { return {Limits<i64>::high(), worst_of_max<T>()}; }
  static State merge(State x, State y) {
    const bool x_nan = x.value != x.value;
    const bool y_nan = y.value != y.value;
    const bool better = y.value > x.value || (y_nan && !x_nan);
    const bool equal = y.value == x.value || (y_nan && x_nan);
    return better || (equal && y.position < x.position) ? y : x;
  }
  static i64 result(State x) { return x.position; }
};

/// x of the lane whose number differs by `mask`.
template <class T>
inline T exchange(T x, int mask) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  union Bits {
    T value;
    int words[kWords];
    Bits() {}
  } bits;
  bits.value = x;
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    bits.words[i] = __shfl_xor_sync(0xFFFFFFFFu, bits.words[i], mask);
  return bits.value;
}

/// Merged over a warp, or over each `threads` lanes behind each other where they are fewer: every
/// lane gets it.
template <class R>
inline typename R::State merge_warp(typename R::State x, int threads) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    if (mask < threads) x = R::merge(x, exchange(x, mask));
  }
  return x;
}

template <class R, int N>
inline typename R::State merge_lanes(const typename R::State (&lanes)[N]) {
  typename R::State merged = lanes[0];
#pragma unroll
  for (int i = 1; i < N; ++i)
    merged = R::merge(merged, lanes[i]);
  return merged;
}

/// Merged in order: partial results of a row or column lie `step` apart.
template <class R>
inline typename R::State merge_shared(const typename R::State* partials, int count, int step) {
  typename R::State merged = partials[0];
  for (int i = 1; i < count; ++i)
    merged = R::merge(merged, partials[i * step]);
  return merged;
}

}  // namespace wick
