// Most f32 values are computed in f64, where short formulas lose digits that do not matter; f64
// values need the formulas that lose none.

#include <limits>
#include <numbers>

#include "wick/autograd/formulas.h"
#include "wick/autograd/half_turns.h"

namespace wick::autograd {

using detail::Term;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_f64(const Term& x) {
  return x.dtype() == DType::f64;
}

/// expm1 as 2t / (1 - t), t = tanh(x / 2), near 0.
Term expm1_f64(const Term& x) {
  const Term t = tanh(x * 0.5);
  return select(abs(x) < 1.0, t * 2.0 / (1.0 - t), exp(x) - 1.0);
}

/// exp(x) = 2^n e^r with r = high - low = x - n ln 2 in [-ln(2) / 2, ln(2) / 2].
struct Power {
  Term n;
  Term high;
  Term low;
  Term r;
  Term rest;  // e^r - 1 - r

  /// Of r, by rounding.
  [[nodiscard]] Term lost() const { return high - r - low; }
};

/// Of an f32 whose n is moderate.
Power power_of_f32(const Term& x) {
  // (e^r - 1 - r) / r^2, as in codegen/llvm/math_exp.cpp.
  constexpr double kSeries[] = {
      0x1.fffffcp-2, 0x1.55548cp-3, 0x1.55585ap-5, 0x1.123d76p-7, 0x1.6ab924p-10};
  // Products of the upper part with n are exact.
  constexpr double kLn2High = 0x1.62e4p-1;
  constexpr double kLn2Low = 0x1.7f7d1cp-20;
  const Term n = round(x * std::numbers::log2e);
  const Term high = x - n * kLn2High;
  const Term low = n * kLn2Low;
  const Term r = high - low;
  return {n, high, low, r, r * r * polynomial(r, kSeries)};
}

/// 2^(n + shift) for a whole n, which with the shift is within the exponents of f32.
Term power_of_two(const Term& n, int shift) {
  constexpr double kBias = 127;
  constexpr double kMantissa = 1 << 23;
  return bitcast((cast(n, DType::i32) + (kBias + shift)) * kMantissa, DType::f32);
}

/// In halves, so that 2^n stays in the range where the result does.
Term expm1_of_f32(const Term& x) {
  // -1 below, infinite above.
  const Power power = power_of_f32(minimum(maximum(x, -25.0), 89.0));
  const Term p = power.r + (power.rest + power.lost());
  const Term half_power = power_of_two(power.n, -1);
  const Term half = half_power * p + (half_power - 0.5);
  const Term near = x * (x * 0.5 + 1.0);  // the next term is 2^-26 of this one
  return select(abs(x) < 0x1p-12, near, half + half);
}

/// With e = exp(-|x|) = 2^n (1 + p) and s = log(1 + e) / e: max(x, 0) + 2^n (s + p s), where
/// neither e nor its product with s is rounded.
Term log1p_exp_of_f32(const Term& x) {
  // (s - 1) / e on [0, 1], by Remez exchange, coefficients rounded one by one: s within 2^-28.6.
  constexpr double kSeries[] = {-0x1.fffff8p-2,
                                0x1.5553b6p-2,
                                -0x1.ffc59ep-3,
                                0x1.978b56p-3,
                                -0x1.4a72c6p-3,
                                0x1.ff2978p-4,
                                -0x1.54f2bap-4,
                                0x1.590242p-5,
                                -0x1.c0a926p-7,
                                0x1.113d36p-9};
  constexpr int kShift = 100;  // 2^n may be less than any f32
  constexpr double kBack = 0x1p-100;
  const Power power = power_of_f32(maximum(-abs(x), -150.0));  // 0 below
  const Term p = power.r + power.rest;
  const Term scale = power_of_two(power.n, kShift);
  const Term e = (scale + scale * p) * kBack;
  const Term s = e * polynomial(e, kSeries) + 1.0;
  return maximum(x, 0.0) + scale * (s + p * s) * kBack;
}

/// sinh as 2t / (1 - t^2), t = tanh(x / 2), near 0; elsewhere of exp(x / 2), which does not
/// overflow before the result does.
Term sinh_f64(const Term& x) {
  const Term t = tanh(x * 0.5);
  const Term root = exp(x * 0.5);
  const Term far = root * 0.5 * root - 0.5 / root / root;
  return select(abs(x) < 1.0, t * 2.0 / ((1.0 - t) * (t + 1.0)), far);
}

Term sinh_of_f32(const Term& x) {
  constexpr double kSeries[] = {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040};
  return in_f64(x, [&](const Term& wide) {
    const Term power = exp(wide);
    const Term far = (power - 1.0 / power) * 0.5;
    return select(abs(wide) < 0.25, wide * polynomial(wide * wide, kSeries), far);
  });
}

Term cosh_f64(const Term& x) {
  const Term root = exp(abs(x) * 0.5);
  return root * 0.5 * root + 0.5 / root / root;
}

Term cosh_of_f32(const Term& x) {
  return in_f64(x, [](const Term& wide) {
    const Term power = exp(abs(wide));
    return (power + 1.0 / power) * 0.5;
  });
}

/// log(2 x), for x so large that x + 1 or x^2 + 1 makes no difference.
Term log_of_twice(const Term& x) {
  return log(x) + std::numbers::ln2;
}

constexpr double kLarge = 1e9;

Term asinh_f64(const Term& x) {
  const Term a = abs(x);
  const Term near = log1p_value(a + a * a / (sqrt(a * a + 1.0) + 1.0));
  return with_sign_of(select(a > kLarge, log_of_twice(a), near), x);
}

Term acosh_f64(const Term& x) {
  const Term t = x - 1.0;
  return select(x > kLarge, log_of_twice(x), log1p_value(t + sqrt(t) * sqrt(t + 2.0)));
}

Term atanh_f64(const Term& x) {
  const Term a = abs(x);
  return with_sign_of(log1p_value(a * 2.0 / (1.0 - a)) * 0.5, x);
}

/// f32 as f64 by the same formula.
template <typename Function>
Term by_f64(const Term& x, Function function) {
  return is_f64(x) ? function(x) : in_f64(x, function);
}

Term asin_f64(const Term& x) {
  return atan(x / sqrt((1.0 - x) * (x + 1.0)));
}

Term acos_f64(const Term& x) {
  return atan(sqrt((1.0 - x) / (x + 1.0))) * 2.0;
}

/// arcsin(s) = s + rest of |x| up to 1/2, and of s = sqrt((1 - |x|) / 2) beyond, where arcsin |x| =
/// pi / 2 - 2 arcsin(s).
struct ArcsineParts {
  Term is_near;
  Term s;
  Term rest;
};

ArcsineParts arcsine_parts(const Term& x) {
  // (arcsin(s) - s) / s^3 in z = s^2 up to 1/4, interpolated at Chebyshev points in 40 digits:
  // within 5 10^-9.
  constexpr double kSeries[] = {
      0x1.555554p-3, 0x1.333432p-4, 0x1.6d5b8ep-5, 0x1.fd921ap-6, 0x1.18e1f6p-6, 0x1.14138cp-5};
  const Term a = abs(x);
  const Term is_near = a < 0.5;
  const Term z = select(is_near, a * a, (1.0 - a) * 0.5);
  const Term s = select(is_near, a, sqrt(z));
  return {is_near, s, s * (z * polynomial(z, kSeries))};
}

// The nearest f32 and what it lacks.
constexpr double kPiHigh = 0x1.921fb6p+1;
constexpr double kPiLow = std::numbers::pi - kPiHigh;

Term asin_of_f32(const Term& x) {
  const auto& [is_near, s, rest] = arcsine_parts(x);
  // In two quarters of pi: the difference of the second one and 2 s loses next to nothing.
  const Term far = kPiHigh / 4 - ((rest * 2.0 - kPiLow / 2) - (kPiHigh / 4 - s * 2.0));
  return with_sign_of(select(is_near, s + rest, far), x);
}

Term acos_of_f32(const Term& x) {
  const auto& [is_near, s, rest] = arcsine_parts(x);
  const Term near = kPiHigh / 2 - (x - (kPiLow / 2 - with_sign_of(rest, x)));
  const Term far_below = (kPiHigh - s * 2.0) - (rest * 2.0 - kPiLow);
  return select(is_near, near, select(x < 0.0, far_below, (s + rest) * 2.0));
}

}  // namespace

Term expm1_value(const Term& x) {
  return is_f64(x) ? expm1_f64(x) : expm1_of_f32(x);
}

/// log(1 + x) and a correction for what rounding took from 1 + x.
Term log1p_value(const Term& x) {
  const Term sum = x + 1.0;
  const Term lost = x - (sum - 1.0);  // NaN at infinity, 0 at -1
  const Term corrected = log(sum) + select(lost < sum, lost / sum, 0.0);
  return select(sum == 1.0, x, corrected);
}

Term log1p_exp_value(const Term& x) {
  return is_f64(x) ? maximum(x, 0.0) + log1p_value(exp(-abs(x))) : log1p_exp_of_f32(x);
}

Term tan_value(const Term& x) {
  return by_f64(x, [](const Term& y) { return sin(y) / cos(y); });
}

Term asin_value(const Term& x) {
  return is_f64(x) ? asin_f64(x) : asin_of_f32(x);
}

Term acos_value(const Term& x) {
  return is_f64(x) ? acos_f64(x) : acos_of_f32(x);
}

Term sinh_value(const Term& x) {
  return is_f64(x) ? sinh_f64(x) : sinh_of_f32(x);
}

Term cosh_value(const Term& x) {
  return is_f64(x) ? cosh_f64(x) : cosh_of_f32(x);
}

Term asinh_value(const Term& x) {
  return by_f64(x, asinh_f64);
}

Term acosh_value(const Term& x) {
  return by_f64(x, acosh_f64);
}

Term atanh_value(const Term& x) {
  return by_f64(x, atanh_f64);
}

Term atan2_value(const Term& y, const Term& x) {
  const Term height = abs(y);
  const Term width = abs(x);
  // Of two zeros 0, of two infinities 1.
  const Term diagonal = cast(height > 0.0, y.dtype());
  const Term angle = atan(select(height == width, diagonal, height / width));
  return with_sign_of(select(signbit(x), std::numbers::pi - angle, angle), y);
}

Term hypot_value(const Term& a, const Term& b) {
  const Term x = abs(a);
  const Term y = abs(b);
  const Term root = [&] {
    if (!is_f64(a)) {
      const Term wide_x = cast(x, DType::f64);
      const Term wide_y = cast(y, DType::f64);
      return cast(sqrt(wide_x * wide_x + wide_y * wide_y), a.dtype());
    }
    const Term longer = maximum(x, y);
    const Term ratio = minimum(x, y) / longer;  // NaN at 0
    return select(longer == 0.0, longer, longer * sqrt(ratio * ratio + 1.0));
  }();
  return select((x == kInfinity) | (y == kInfinity), kInfinity, root);
}

Term cbrt_value(const Term& x) {
  return by_f64(x, [](const Term& y) {
    const Term a = abs(y);
    const Term root = pow(a, 1.0 / 3);
    const Term excess = (root - a / (root * root)) / 3.0;  // NaN at 0 and infinity
    return with_sign_of(select(excess == excess, root - excess, root), y);
  });
}

Term sinc_value(const Term& x) {
  return by_f64(x, [](const Term& y) {
    const HalfTurns turns(y);
    const Term sine = turns.sine();
    const Term is_even = floor(turns.n * 0.5) * 2.0 == turns.n;
    return select(y == 0.0, 1.0, select(is_even, sine, -sine) / (y * std::numbers::pi));
  });
}

}  // namespace wick::autograd
