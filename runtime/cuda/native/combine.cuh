// How two values become one, for ops along an axis.

struct Add {
  template <class T>
  static T of(T x, T y) {
    return op_add(x, y);
  }
};

struct Multiply {
  template <class T>
  static T of(T x, T y) {
    return op_mul(x, y);
  }
};

struct Maximum {
  template <class T>
  static T of(T x, T y) {
    return op_maximum(x, y);
  }
};

struct Minimum {
  template <class T>
  static T of(T x, T y) {
    return op_minimum(x, y);
  }
};

struct LogAddExp {
  static double of(double x, double y) {
    if (x != x || y != y) return x + y;
    const double high = x > y ? x : y;
    const double low = x > y ? y : x;
    return high - high != 0 ? high : high + log1p(exp(low - high));  // an infinity stays
  }
};

struct Replace {
  template <class T>
  static T of(T, T y) {
    return y;
  }
};

template <class Combine>
constexpr bool kLastWins = false;
template <>
constexpr bool kLastWins<Replace> = true;
