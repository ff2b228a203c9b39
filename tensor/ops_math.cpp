#include "wick/tensor/ops_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::float_term_of;
using detail::float_terms_of;
using detail::HistoryPause;
using detail::Term;
using detail::term_of;
using detail::terms_of;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What log(x) / log(base) misses at powers of the base, of which f64 hits only some.
Term lost_at_powers(const Term& x, double base, const Term& quotient) {
  const HistoryPause pause;
  const Term nearest = round(quotient);
  const Term lost = nearest - quotient;  // NaN at 0 and infinity
  const Term is_power = pow(x.literal(base), nearest) == x;
  return select(is_power & (lost == lost), lost, 0);
}

Term log_to_base(const Term& x, double base) {
  const double scale = 1 / std::log(base);
  return at_least_f32(x, [&](const Term& y) {
    if (y.dtype() != DType::f64) {
      return in_f64(y, [&](const Term& wide) { return log(wide) * scale; });
    }
    const Term quotient = log(y) * scale;
    return quotient + lost_at_powers(y, base, quotient);
  });
}

Tensor scaled(std::string_view op, const Tensor& x, double factor, Where where) {
  return (float_term_of(op, x, where) * factor).tensor;
}

double largest_finite(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::max();
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.FEp127;
    default:
      return std::numeric_limits<float>::max();
  }
}

}  // namespace

Tensor reciprocal(const Tensor& x, Where where) {
  return (1 / float_term_of("reciprocal", x, where)).tensor;
}

Tensor exp2(const Tensor& x, Where where) {
  const auto formula = [](const Term& y) {
    if (y.dtype() == DType::f64) return pow(y.literal(2), y);
    return in_f64(y, [](const Term& wide) { return exp(wide * std::numbers::ln2); });
  };
  return at_least_f32(float_term_of("exp2", x, where), formula).tensor;
}

Tensor log2(const Tensor& x, Where where) {
  return log_to_base(float_term_of("log2", x, where), 2).tensor;
}

Tensor log10(const Tensor& x, Where where) {
  return log_to_base(float_term_of("log10", x, where), 10).tensor;
}

Tensor deg2rad(const Tensor& x, Where where) {
  return scaled("deg2rad", x, std::numbers::pi / 180, where);
}

Tensor rad2deg(const Tensor& x, Where where) {
  return scaled("rad2deg", x, 180 / std::numbers::pi, where);
}

Tensor trunc(const Tensor& x, Where where) {
  const Term term = term_of("trunc", x, where);
  return is_float(term.dtype()) ? trunc(term).tensor : x;
}

Tensor frac(const Tensor& x, Where where) {
  const Term term = float_term_of("frac", x, where);
  return (term - trunc(term)).tensor;
}

Tensor round(const Tensor& x, int decimals, Where where) {
  const double scale = std::pow(10.0, std::abs(decimals));
  const auto formula = [&](const Term& y) {
    return decimals >= 0 ? round(y * scale) / scale : round(y / scale) * scale;
  };
  return at_least_f32(float_term_of("round", x, where), formula).tensor;
}

Tensor isfinite(const Tensor& x, Where where) {
  const Term term = term_of("isfinite", x, where);
  return (is_float(term.dtype()) ? isfinite(term) : term == term).tensor;
}

Tensor isinf(const Tensor& x, Where where) {
  const Term term = term_of("isinf", x, where);
  return (is_float(term.dtype()) ? abs(term) == kInfinity : term != term).tensor;
}

Tensor signbit(const Tensor& x, Where where) {
  const Term term = term_of("signbit", x, where);
  if (is_float(term.dtype())) return signbit(term).tensor;
  return (is_signed_integer(term.dtype()) ? term < 0 : term != term).tensor;
}

Tensor nan_to_num(const Tensor& x,
                  double nan,
                  std::optional<double> positive_infinity,
                  std::optional<double> negative_infinity,
                  Where where) {
  const Term term = term_of("nan_to_num", x, where);
  if (!is_float(term.dtype())) return x;
  const double limit = largest_finite(term.dtype());
  const Term upper = term.operand(positive_infinity.value_or(limit));
  const Term lower = term.operand(negative_infinity.value_or(-limit));
  Term result = select(term != term, term.operand(nan), term);
  result = select(term == kInfinity, upper, result);
  return select(term == -kInfinity, lower, result).tensor;
}

Tensor heaviside(const Operand& x, const Operand& value) {
  const auto [a, b] = terms_of("heaviside", x, value);
  const Term step = cast(a > 0, a.dtype());
  const Term kept = is_float(a.dtype()) ? select(a != a, a, step) : step;
  return select(a == 0, b, kept).tensor;
}

Tensor fmax(const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of("fmax", a, b);
  return select((x >= y) | (y != y), x, y).tensor;
}

Tensor fmin(const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of("fmin", a, b);
  return select((x <= y) | (y != y), x, y).tensor;
}

Tensor nextafter(const Operand& a, const Operand& b) {
  const HistoryPause pause;  // a step, with no gradient
  const auto [x, y] = float_terms_of("nextafter", a, b);
  const Term bits = bitcast(x, detail::bits_dtype(x.dtype()));
  // Away from 0 the bits count up, for either sign.
  const Term outward = (x < y) == (x > 0);
  const Term moved = bitcast(select(outward, bits + 1, bits - 1), x.dtype());
  const Term smallest = bitcast(bits.literal(1), x.dtype());
  const Term next = select(x == 0, with_sign_of(smallest, y), moved);
  return select(x == y, y, select((x != x) | (y != y), x + y, next)).tensor;
}

Tensor ldexp(const Operand& x, const Operand& exponent) {
  const auto [base, n] = float_terms_of("ldexp", x, exponent);
  // In three steps none of which leaves the range of f64, however far apart x and the result are.
  constexpr double kFar = 2100;
  const Term wide = cast(n, DType::f64);
  const Term bounded = minimum(maximum(wide, -kFar), kFar);
  const Term third = floor(bounded / 3.0);
  const Term step = pow(third.literal(2), third);
  const Term rest = pow(third.literal(2), bounded - third * 2.0);
  return cast(cast(base, DType::f64) * rest * step * step, base.dtype()).tensor;
}

}  // namespace wick
