// The error function's and the gamma function's relatives. f32 values are computed in f64.

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "wick/autograd/formulas.h"
#include "wick/autograd/half_turns.h"

namespace wick::autograd {

using detail::Term;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Function>
Term by_f64(const Term& x, Function function) {
  return x.dtype() == DType::f64 ? function(x) : in_f64(x, function);
}

// (1 + 2x) exp(x^2) erfc(x) in t = (x - 4) / (x + 4) for x >= 1/2 (the form of Shepherd and
// Laframboise, 1981; interpolated at Chebyshev points in 50 digits): relative error 2^-54.
constexpr std::array kScaledErfc = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd81fp-7,   0x1.16ecefcfa52bfp-4,
    -0x1.9ddb23c3e9753p-4,  0x1.7fee004e147cbp-4,   -0x1.0fb06dfe3b126p-4,  0x1.3079edf62e05ep-5,
    -0x1.0962388890027p-6,  0x1.49c672a3fdfeap-8,   -0x1.8d4a96243b9cep-11, -0x1.a1df3fcb815f9p-13,
    0x1.3bdfeeda81f8ap-13,  -0x1.99557729ad5c4p-16, -0x1.78748876585eap-17, 0x1.7efa75ea07e40p-18,
    0x1.3553bf67b47b5p-22,  -0x1.b835c77cb2633p-21, 0x1.5fa8f29502b4fp-24,  0x1.bce5e203ed516p-24,
    -0x1.8c7836d7f3d1ap-26, -0x1.4f1bc7af2328ep-27, 0x1.d6925cedff98dp-29};

/// exp(-x^2) of f64, where rounding x^2 would cost digits: the square of x in f32 is exact.
Term exp_of_minus_square(const Term& x) {
  const Term upper = cast(cast(x, DType::f32), DType::f64);
  return exp(-(upper * upper)) * exp((upper - x) * (upper + x));
}

/// erfc of f64 for x >= 1/2.
Term erfc_above_half(const Term& x) {
  constexpr double kAllZero = 30;  // from here on the result is 0
  const Term bounded = minimum(x, kAllZero);
  const Term t = (bounded - 4.0) / (bounded + 4.0);
  const Term scaled = polynomial(t, kScaledErfc) / (bounded * 2.0 + 1.0);
  return exp_of_minus_square(bounded) * scaled;
}

Term erfc_f64(const Term& x) {
  return select(x < 0.5, 1.0 - erf(x), erfc_above_half(x));
}

/// The same forms with as many terms as f32 needs, relative error 2^-27, in f64: there x^2 is
/// exact.
Term erfc_of_f32(const Term& x) {
  constexpr double kScaled[] = {0x1.3ba5917118df3p+0,
                                -0x1.1df1ababf8880p-3,
                                0x1.f7f5901b735bap-7,
                                0x1.16ebc0011f0cdp-4,
                                -0x1.9ddbc6c022721p-4,
                                0x1.8006ce6a36ef8p-4,
                                -0x1.0f9173d259954p-4,
                                0x1.2f28510f96073p-5,
                                -0x1.0ddb3e4e19373p-6,
                                0x1.5e0caf1c4c64bp-8};
  // erf(x) / x in x^2 up to 1/4.
  constexpr double kErf[] = {0x1.20dd74fdbc1edp+0,
                             -0x1.8127329820b41p-2,
                             0x1.ce250cfc4cb0ep-4,
                             -0x1.b665b70c39d55p-6,
                             0x1.3541de532d567p-8};
  constexpr double kAllZero = 10.5;
  return in_f64(x, [&](const Term& wide) {
    const Term a = minimum(abs(wide), kAllZero);
    const Term square = a * a;
    const Term above = a + 4.0;
    const Term twice = a * 2.0 + 1.0;
    const Term inverse = 1.0 / (above * twice);  // one division for both
    const Term scaled = polynomial((a - 4.0) * twice * inverse, kScaled) * above * inverse;
    const Term far = exp(-square) * scaled;
    const Term near = 1.0 - wide * polynomial(square, kErf);
    return select(a < 0.5, near, select(wide < 0.0, 2.0 - far, far));
  });
}

/// Within 2 10^-3 of erfinv, for 0 <= a <= 1 (Winitzki, 2008).
Term erfinv_guess(const Term& a) {
  constexpr double kShape = 0.147;
  const Term tail = log((1.0 - a) * (a + 1.0));
  const Term middle = tail * 0.5 + 2 / (kPi * kShape);
  const Term power = -tail / kShape;
  return sqrt(power / (sqrt(middle * middle + power) + middle));
}

/// Halley's iteration, which triples the digits.
template <typename Residual>
Term erfinv_step(const Term& y, Residual residual) {
  const Term newton = residual(y) * exp(y * y) * (0.5 / std::numbers::inv_sqrtpi);
  return y - newton / (newton * y + 1.0);
}

/// erfinv of |x| by the residual of erf(y) = |x|.
template <typename Residual>
Term erfinv_by(const Term& x, const Term& a, Residual residual) {
  Term y = erfinv_guess(a);
  for (int step = 0; step < 2; ++step)
    y = erfinv_step(y, residual);
  const Term end = select(a == 1.0, kInfinity, y);
  return with_sign_of(end, x);
}

// ---- the gamma function -----------------------------------------------------------------------

constexpr double kShift = 8;

/// x(x + 7): the factors of x(x + 1)...(x + 7) in pairs are u, u + 6, u + 10 and u + 12.
Term paired(const Term& x) {
  return x * (x + 7.0);
}

/// Stirling's series for the logarithm of gamma, for z >= kShift.
Term stirling(const Term& z) {
  // B(2k) / (2k (2k - 1)).
  constexpr double kStirling[] = {1.0 / 12,
                                  -1.0 / 360,
                                  1.0 / 1260,
                                  -1.0 / 1680,
                                  1.0 / 1188,
                                  -691.0 / 360360,
                                  1.0 / 156,
                                  -3617.0 / 122400};
  const double constant = 0.5 * std::log(2 * kPi) - 0.5;
  const Term inverse = 1.0 / z;
  const Term series = inverse * polynomial(inverse * inverse, kStirling);
  return (z - 0.5) * (log(z) - 1.0) + constant + series;
}

/// digamma for x > 0: its series at x or at x + 8, less 1/x + 1/(x + 1) + ... + 1/(x + 7).
Term digamma_positive(const Term& x) {
  // B(2k) / (2k).
  constexpr double kSeries[] = {1.0 / 12,
                                -1.0 / 120,
                                1.0 / 252,
                                -1.0 / 240,
                                1.0 / 132,
                                -691.0 / 32760,
                                1.0 / 12,
                                -3617.0 / 8160};
  const Term is_small = x < kShift;
  const Term z = select(is_small, x + kShift, x);
  const Term inverse = 1.0 / z;
  const Term square = inverse * inverse;
  const Term far = log(z) - inverse * 0.5 - square * polynomial(square, kSeries);
  const Term u = paired(x);
  const Term sums = 1.0 / u + 1.0 / (u + 6.0) + (1.0 / (u + 10.0) + 1.0 / (u + 12.0));
  return far - select(is_small, (x * 2.0 + 7.0) * sums, 0.0);
}

/// (-1)^(n+1) times the n-th derivative of digamma for x > 0: n! times the sum of (x + k)^-(n+1)
/// over k < 8, and the series of Euler and Maclaurin at x + 8 for the others.
Term polygamma_positive(int n, const Term& x) {
  constexpr double kBernoulli[] = {
      1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
  const double factorial = std::tgamma(n + 1);
  Term sum = pow(x, -(n + 1));
  for (int k = 1; k < kShift; ++k)
    sum = sum + pow(x + k, -(n + 1));
  const Term z = x + kShift;
  const Term inverse = 1.0 / z;
  // (2k + n - 1)! / (2k)! B(2k), of z^-2k; the common factor is z^-n.
  std::vector<double> series = {factorial / n};
  for (int k = 1; k <= static_cast<int>(std::size(kBernoulli)); ++k) {
    series.push_back(kBernoulli[k - 1] * std::tgamma(2 * k + n) / std::tgamma(2 * k + 1));
  }
  const Term tail = polynomial(inverse * inverse, series) + inverse * (factorial / 2);
  return sum * factorial + pow(inverse, n) * tail;
}

/// cot(pi x).
Term cot_pi(const Term& x) {
  const HalfTurns turns(x);
  return turns.cosine() / turns.sine();
}

/// The n-th derivative of cot(pi x) / pi^n as a polynomial in the cotangent.
std::vector<double> cot_derivative(int n) {
  std::vector<double> p = {0, 1};
  for (int step = 0; step < n; ++step) {  // p becomes -(1 + c^2) p'
    std::vector<double> next(p.size() + 1);
    for (size_t i = 1; i < p.size(); ++i) {
      const double slope = static_cast<double>(i) * p[i];
      next[i - 1] -= slope;
      next[i + 1] -= slope;
    }
    p = std::move(next);
  }
  return p;
}

}  // namespace

Term erfc_value(const Term& x) {
  return x.dtype() == DType::f64 ? erfc_f64(x) : erfc_of_f32(x);
}

Term erfinv_value(const Term& x) {
  if (x.dtype() != DType::f64) {
    return in_f64(x, [](const Term& wide) {
      const Term a = abs(wide);
      return erfinv_by(wide, a, [&](const Term& y) { return erf(y) - a; });
    });
  }
  const Term a = abs(x);
  // Near 1, where erf is flat, the difference to 1 says more.
  return erfinv_by(x, a, [&](const Term& y) {
    return select(y < 0.5, erf(y) - a, (1.0 - a) - erfc_above_half(y));
  });
}

/// Of x >= 1/2, Stirling's series at x or at x + 8, with the product x(x + 1)...(x + 7) divided out
/// again; of others, pi / |sin(pi x)| divided by gamma(1 - x).
Term lgamma_value(const Term& x) {
  return by_f64(x, [](const Term& y) {
    const Term reflects = y < 0.5;
    const Term positive = select(reflects, 1.0 - y, y);
    const Term is_small = positive < kShift;
    const Term u = paired(positive);
    const Term product = u * (u + 6.0) * ((u + 10.0) * (u + 12.0));
    const Term factor = select(is_small, product, 1.0);
    const Term inverse_sine = select(reflects, kPi / abs(HalfTurns(y).sine()), 1.0);
    const Term shifted = stirling(select(is_small, positive + kShift, positive));
    const Term difference = shifted - log(factor * inverse_sine);
    const Term result = select(reflects, -difference, difference);
    // Zeros are exact.
    return select((y == 1.0) | (y == 2.0), 0.0, select(abs(y) == kInfinity, kInfinity, result));
  });
}

Term digamma_value(const Term& x) {
  return by_f64(x, [](const Term& y) {
    const Term reflects = y < 0.5;
    const Term value = digamma_positive(select(reflects, 1.0 - y, y));
    const Term result = select(reflects, value - cot_pi(y) * kPi, value);
    // At poles from the left, and from the right: no value, but at the two zeros.
    const Term is_pole = (y < 0.0) & (floor(y) == y);
    return select(y == 0.0, -1.0 / y, select(is_pole, kNan, result));
  });
}

Term polygamma_value(int n, const Term& x) {
  return by_f64(x, [n](const Term& y) {
    const Term reflects = y < 0.5;
    const double sign = n % 2 == 0 ? -1 : 1;
    const Term value = polygamma_positive(n, select(reflects, 1.0 - y, y)) * sign;
    const Term derivative = polynomial(cot_pi(y), cot_derivative(n));
    const Term reflected = value * -sign - derivative * std::pow(kPi, n + 1);
    return select(reflects, reflected, value);
  });
}

}  // namespace wick::autograd
