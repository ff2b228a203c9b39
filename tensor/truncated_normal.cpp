#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "wick/tensor/ops.h"
#include "wick/tensor/random_sampling.h"
#include "wick/tensor/random_source.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::check_random;
using detail::record_binary;
using detail::with_number;
using ir::OpKind;

namespace {

/// Coefficients of a quotient of two polynomials, lowest first.
struct Quotient {
  std::array<double, 8> numerator;
  std::array<double, 8> denominator;
};

// Wichura's PPND16: right to about 16 digits.
constexpr Quotient kCentral = {{3.3871328727963666080e0,
                                1.3314166789178437745e+2,
                                1.9715909503065514427e+3,
                                1.3731693765509461125e+4,
                                4.5921953931549871457e+4,
                                6.7265770927008700853e+4,
                                3.3430575583588128105e+4,
                                2.5090809287301226727e+3},
                               {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3}};
constexpr Quotient kOuter = {{1.42343711074968357734e0,
                              4.63033784615654529590e0,
                              5.76949722146069140550e0,
                              3.64784832476320460504e0,
                              1.27045825245236838258e0,
                              2.41780725177450611770e-1,
                              2.27238449892691845833e-2,
                              7.74545014278341407640e-4},
                             {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9}};
constexpr Quotient kFarOut = {{6.65790464350110377720e0,
                               5.46378491116411436990e0,
                               1.78482653991729133580e0,
                               2.96560571828504891230e-1,
                               2.65321895265761230930e-2,
                               1.24266094738807843860e-3,
                               2.71155556874348757815e-5,
                               2.01033439929228813265e-7},
                              {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15}};

Tensor polynomial(const Tensor& x, std::span<const double> coefficients, Where where) {
  Tensor value = with_number(OpKind::mul, x, coefficients.back(), where);
  for (size_t i = coefficients.size() - 1; i > 0; --i) {
    if (i + 1 < coefficients.size()) {
      value = record_binary(OpKind::mul, {value, where}, {x, where}, where);
    }
    value = with_number(OpKind::add, value, coefficients[i - 1], where);
  }
  return value;
}

Tensor evaluated(const Quotient& quotient, const Tensor& x, Where where) {
  const Tensor numerator = polynomial(x, quotient.numerator, where);
  const Tensor denominator = polynomial(x, quotient.denominator, where);
  return record_binary(OpKind::div, {numerator, where}, {denominator, where}, where);
}

/// z with Phi(z) = p, for f64 p in (0, 1).
Tensor normal_quantile(const Tensor& p, Where where) {
  const auto minus = [where](double a, const Tensor& b) {
    return record_binary(OpKind::sub, {a, where}, {b, where}, where);
  };
  const Tensor q = with_number(OpKind::sub, p, 0.5, where);
  const Tensor square = record_binary(OpKind::mul, {q, where}, {q, where}, where);
  const Tensor inner = evaluated(kCentral, minus(0.180625, square), where);
  const Tensor central = record_binary(OpKind::mul, {q, where}, {inner, where}, where);
  const Tensor smaller = record_binary(OpKind::minimum, {p, where}, {minus(1, p), where}, where);
  const Tensor tail = with_number(OpKind::maximum, smaller, 1e-307, where);
  const Tensor r = sqrt(minus(0, log(tail, where)), where);
  const Tensor near = evaluated(kOuter, with_number(OpKind::sub, r, 1.6, where), where);
  const Tensor far = evaluated(kFarOut, with_number(OpKind::sub, r, 5, where), where);
  const Tensor is_near = with_number(OpKind::le, r, 5, where);
  const Tensor size = detail::record_where(is_near, {near, where}, {far, where}, where);
  const Tensor is_low = with_number(OpKind::lt, q, 0, where);
  const Tensor outer = detail::record_where(is_low, {minus(0, size), where}, {size, where}, where);
  const Tensor is_central = with_number(OpKind::le, abs(q, where), 0.425, where);
  return detail::record_where(is_central, {central, where}, {outer, where}, where);
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z * std::sqrt(0.5));
}

}  // namespace

Tensor truncated_normal(Shape shape,
                        const TruncatedNormalOptions& options,
                        Generator& generator,
                        Where where) {
  constexpr std::string_view kOp = "truncated_normal";
  const auto [mean, stddev, low, high, dtype] = options;
  (void)detail::random_working_dtype(kOp, dtype, where);
  check_random(std::isfinite(mean) && stddev > 0 && std::isfinite(stddev),
               kOp,
               fmt::format("the mean is {}, the stddev {}", mean, stddev),
               where);
  check_random(
      low < high, kOp, fmt::format("the bounds {} and {} are no interval", low, high), where);
  double from = (low - mean) / stddev;
  double to = (high - mean) / stddev;
  // Probabilities near 0 are finer than those near 1: the upper side is drawn mirrored.
  const bool mirrored = from > -to;
  if (mirrored) from = -std::exchange(to, -from);
  const double start = normal_cdf(from);
  const double width = normal_cdf(to) - start;
  constexpr double kLeast = 1e-285;
  constexpr auto kText = "next to nothing of the distribution is between {} and {}";
  check_random(width >= kLeast, kOp, fmt::format(kText, low, high), where);
  const detail::RandomSource source(kOp, generator, std::move(shape), where);
  const auto scaled = [where](const Tensor& x, double factor, double offset) {
    const Tensor product = record_binary(OpKind::mul, {x, where}, {factor, where}, where);
    return record_binary(OpKind::add, {product, where}, {offset, where}, where);
  };
  const Tensor p = scaled(source.positive_unit(0, DType::f64), width, start);
  const Tensor value = scaled(normal_quantile(p, where), mirrored ? -stddev : stddev, mean);
  return cast(clamp(value, low, high, where), dtype, where);
}

}  // namespace wick
