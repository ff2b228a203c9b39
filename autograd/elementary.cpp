#include "wick/autograd/elementary.h"

#include <numbers>

#include "wick/autograd/formulas.h"
#include "wick/autograd/own_gradient.h"

namespace wick {

using autograd::BinaryStep;
using autograd::with_gradient;
using autograd::with_gradients;
using detail::Term;
using detail::terms_of;

namespace {

constexpr double kLn2 = std::numbers::ln2;

/// log(exp(a) + exp(b)) to the base exp(unit), of the larger and the difference.
Term log_of_sum(const Term& a, const Term& b, double unit) {
  const Term smaller = exp(-abs(a - b) * unit);
  const Term sum = maximum(a, b) + autograd::log1p_value(smaller) * (1 / unit);
  return select(a == b, a + kLn2 / unit, sum);  // equal infinities too
}

}  // namespace

Tensor tan(const Tensor& x, Where where) {
  const auto gradient = [](const Term&, const Term& y, const Term& g) { return g * (y * y + 1.0); };
  return with_gradient("tan", x, autograd::tan_value, gradient, where);
}

Tensor asin(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g / sqrt(1.0 - x * x);
  };
  return with_gradient("asin", x, autograd::asin_value, gradient, where);
}

Tensor acos(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return -g / sqrt(1.0 - x * x);
  };
  return with_gradient("acos", x, autograd::acos_value, gradient, where);
}

Tensor atan2(const Operand& y, const Operand& x) {
  const auto square = [](const BinaryStep& s) { return s.a * s.a + s.b * s.b; };
  return with_gradients(
      "atan2",
      y,
      x,
      autograd::atan2_value,
      [square](const BinaryStep& s) { return s.cotangent * (s.b / square(s)); },
      [square](const BinaryStep& s) { return s.cotangent * (-s.a / square(s)); });
}

Tensor sinh(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g * Term{cosh(x.tensor, x.where), x.where};
  };
  return with_gradient("sinh", x, autograd::sinh_value, gradient, where);
}

Tensor cosh(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g * Term{sinh(x.tensor, x.where), x.where};
  };
  return with_gradient("cosh", x, autograd::cosh_value, gradient, where);
}

Tensor asinh(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g / sqrt(x * x + 1.0);
  };
  return with_gradient("asinh", x, autograd::asinh_value, gradient, where);
}

Tensor acosh(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) {
    return g / sqrt((x - 1.0) * (x + 1.0) + 0.0);  // at -1 too, the root of +0
  };
  return with_gradient("acosh", x, autograd::acosh_value, gradient, where);
}

Tensor atanh(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) { return g / (1.0 - x * x); };
  return with_gradient("atanh", x, autograd::atanh_value, gradient, where);
}

Tensor expm1(const Tensor& x, Where where) {
  const auto gradient = [](const Term&, const Term& y, const Term& g) { return g * (y + 1.0); };
  return with_gradient("expm1", x, autograd::expm1_value, gradient, where);
}

Tensor log1p(const Tensor& x, Where where) {
  const auto gradient = [](const Term& x, const Term&, const Term& g) { return g / (x + 1.0); };
  return with_gradient("log1p", x, autograd::log1p_value, gradient, where);
}

Tensor logaddexp(const Operand& a, const Operand& b) {
  return with_gradients(
      "logaddexp",
      a,
      b,
      [](const Term& a, const Term& b) { return log_of_sum(a, b, 1); },
      [](const BinaryStep& s) { return s.cotangent * sigmoid(s.a - s.b); },
      [](const BinaryStep& s) { return s.cotangent * sigmoid(s.b - s.a); });
}

Tensor logaddexp2(const Operand& a, const Operand& b) {
  return with_gradients(
      "logaddexp2",
      a,
      b,
      [](const Term& a, const Term& b) { return log_of_sum(a, b, kLn2); },
      [](const BinaryStep& s) { return s.cotangent * sigmoid((s.a - s.b) * kLn2); },
      [](const BinaryStep& s) { return s.cotangent * sigmoid((s.b - s.a) * kLn2); });
}

Tensor cbrt(const Tensor& x, Where where) {
  const auto gradient = [](const Term&, const Term& y, const Term& g) { return g / (y * y * 3.0); };
  return with_gradient("cbrt", x, autograd::cbrt_value, gradient, where);
}

Tensor hypot(const Operand& a, const Operand& b) {
  return with_gradients(
      "hypot",
      a,
      b,
      autograd::hypot_value,
      [](const BinaryStep& s) { return s.cotangent * s.a / s.y; },
      [](const BinaryStep& s) { return s.cotangent * s.b / s.y; });
}

Tensor copysign(const Operand& a, const Operand& b) {
  return with_gradients(
      "copysign",
      a,
      b,
      [](const Term& a, const Term& b) { return with_sign_of(abs(a), b); },
      [](const BinaryStep& s) { return s.cotangent * select(s.a == 0.0, 0.0, s.y / s.a); },
      nullptr);
}

Tensor fmod(const Operand& a, const Operand& b) {
  if (const auto [x, y] = terms_of("fmod", a, b); !is_float(x.dtype())) {
    // Of the remainder of division toward minus infinity; |x| could overflow.
    const Term rest = rem(x, y);
    const Term differs = (rest != 0.0) & ((x < 0.0) != (y < 0.0));
    return select(differs, rest - y, rest).tensor;
  }
  return with_gradients(
      "fmod",
      a,
      b,
      [](const Term& a, const Term& b) { return fmod(a, b); },
      [](const BinaryStep& s) { return s.cotangent; },
      [](const BinaryStep& s) { return -s.cotangent * trunc(s.a / s.b); });
}

}  // namespace wick
