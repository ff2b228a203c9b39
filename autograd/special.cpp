#include "wick/autograd/special.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "wick/autograd/elementary.h"
#include "wick/autograd/formulas.h"
#include "wick/autograd/own_gradient.h"

namespace wick {

using autograd::BinaryStep;
using autograd::with_gradient;
using autograd::with_gradients;
using detail::Term;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// (cos(pi x) - sinc(x)) / x, which near 0 would be a small difference: there by its series.
Term sinc_slope(const Term& x, const Term& y) {
  const double kSeries[] = {-kPi * kPi / 3, std::pow(kPi, 4) / 30, -std::pow(kPi, 6) / 840};
  const Term near = x * polynomial(x * x, kSeries);
  return select(abs(x) < 0.1, near, (cos(x * kPi) - y) / x);
}

Term log1p_term(const Term& x) {
  return {log1p(x.tensor, x.where), x.where};
}

/// x f(y), 0 where x is and y is not NaN.
Term times_log(const Term& x, const Term& y, const Term& logarithm) {
  return select(y != y, y, select(x == 0.0, 0.0, x * logarithm));
}

}  // namespace

Tensor erfc(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g * (exp(-(x * x)) * (-2 * std::numbers::inv_sqrtpi));
  };
  return with_gradient("erfc", x, autograd::erfc_value, gradient, where);
}

Tensor erfinv(const Tensor& x, Where where) {
  const auto gradient = [](const Term&, const Term& y, const Term& g) {
    return g * (exp(y * y) * (0.5 / std::numbers::inv_sqrtpi));
  };
  return with_gradient("erfinv", x, autograd::erfinv_value, gradient, where);
}

Tensor lgamma(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g * Term{digamma(x.tensor, x.where), x.where};
  };
  return with_gradient("lgamma", x, autograd::lgamma_value, gradient, where);
}

Tensor digamma(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g * Term{polygamma(1, x.tensor, x.where), x.where};
  };
  return with_gradient("digamma", x, autograd::digamma_value, gradient, where);
}

Tensor polygamma(int n, const Tensor& x, Where where) {
  if (n < 0) throw Error(where, "polygamma", fmt::format("n is {}; it must not be negative", n));
  if (n == 0) return digamma(x, where);
  const auto formula = [n](const Term& x) { return autograd::polygamma_value(n, x); };
  const auto gradient = [n](const Term& x, const Term&, const Term& g) {
    return g * Term{polygamma(n + 1, x.tensor, x.where), x.where};
  };
  return with_gradient("polygamma", x, formula, gradient, where);
}

Tensor sinc(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term& y, const Term& g) {
    return g * sinc_slope(x, y);
  };
  return with_gradient("sinc", x, autograd::sinc_value, gradient, where);
}

Tensor logit(const Tensor& x, std::optional<double> eps, Where where) {
  const auto formula = [&](const Term& x) {
    const auto of = [](const Term& p) { return log(p / (1.0 - p)); };
    const Term p = eps ? minimum(maximum(x, *eps), 1 - *eps) : x;
    return x.dtype() == DType::f64 ? of(p) : in_f64(p, of);
  };
  const auto gradient = [eps](const Term& x, const Term&, const Term& g) {
    const Term outside = (x < eps.value_or(0)) | (x > 1 - eps.value_or(0));
    return select(outside, eps ? 0 : kNan, g / (x * (1.0 - x)));
  };
  return with_gradient("logit", x, formula, gradient, where);
}

Tensor xlogy(const Operand& x, const Operand& y) {
  return with_gradients(
      "xlogy",
      x,
      y,
      [](const Term& x, const Term& y) { return times_log(x, y, log(y)); },
      [](const BinaryStep& s) {
        // Where the value is 0 whatever x is near, so is the slope.
        const Term flat = (s.a == 0.0) & (s.b <= 0.0);
        return s.cotangent * select(flat, 0.0, log(s.b));
      },
      [](const BinaryStep& s) { return s.cotangent * s.a / s.b; });
}

Tensor xlog1py(const Operand& x, const Operand& y) {
  return with_gradients(
      "xlog1py",
      x,
      y,
      [](const Term& x, const Term& y) { return times_log(x, y, autograd::log1p_value(y)); },
      [](const BinaryStep& s) {
        const Term flat = (s.a == 0.0) & (s.b <= -1.0);
        return s.cotangent * select(flat, 0.0, log1p_term(s.b));
      },
      [](const BinaryStep& s) { return s.cotangent * s.a / (s.b + 1.0); });
}

}  // namespace wick
