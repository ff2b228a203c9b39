#include "wick/autograd/activation.h"

#include <string_view>

#include "wick/autograd/formulas.h"
#include "wick/autograd/own_gradient.h"

namespace wick {

using autograd::with_gradient;
using detail::Term;

namespace {

/// scale x above 0; below it scale alpha (exp(rate x) - 1).
struct ExponentialUnit {
  double alpha = 1;
  double scale = 1;
  double rate = 1;
};

Tensor exponential_unit(std::string_view op, const Tensor& x, ExponentialUnit unit, Where where) {
  const auto times = [](const Term& y, double factor) {
    return factor == 1 ? y : y * y.operand(factor);
  };
  const auto formula = [=](const Term& x) {
    const Term below = times(autograd::expm1_value(times(x, unit.rate)), unit.alpha * unit.scale);
    return select(x > 0, times(x, unit.scale), below);
  };
  const auto gradient = [=](const Term& x, const Term&, const Term& g) {
    const Term below =
        times(exp(times(minimum(x, 0), unit.rate)), unit.alpha * unit.scale * unit.rate);
    return g * select(x > 0, times(x.literal(1), unit.scale), below);
  };
  return with_gradient(op, x, formula, gradient, where);
}

}  // namespace

Tensor elu(const Tensor& x, double alpha, Where where) {
  return exponential_unit("elu", x, {.alpha = alpha}, where);
}

Tensor celu(const Tensor& x, double alpha, Where where) {
  if (alpha == 0) throw Error(where, "celu", "alpha is 0; it must not be");
  return exponential_unit("celu", x, {.alpha = alpha, .rate = 1 / alpha}, where);
}

Tensor selu(const Tensor& x, Where where) {
  // The fixed point of the paper's equation 14.
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  return exponential_unit("selu", x, {.alpha = kAlpha, .scale = kScale}, where);
}

Tensor softplus(const Tensor& x, double beta, double threshold, Where where) {
  const auto scaled = [beta](const Term& x) { return beta == 1 ? x : x * x.operand(beta); };
  const auto formula = [&](const Term& x) {
    const Term argument = scaled(x);
    const Term curve = autograd::log1p_exp_value(argument);
    const Term value = beta == 1 ? curve : curve * curve.operand(1 / beta);
    return select(argument > argument.operand(threshold), x, value);
  };
  const auto gradient = [=](const Term& x, const Term&, const Term& g) {
    const Term argument = scaled(x);
    return select(argument > argument.operand(threshold), g, g * sigmoid(argument));
  };
  return with_gradient("softplus", x, formula, gradient, where);
}

Tensor logsigmoid(const Tensor& x, Where where) {
  const auto formula = [](const Term& x) { return -autograd::log1p_exp_value(-x); };
  const auto gradient = [](const Term& x, const Term&, const Term& g) { return g * sigmoid(-x); };
  return with_gradient("logsigmoid", x, formula, gradient, where);
}

Tensor mish(const Tensor& x, Where where) {
  // tanh(log(1 + e)) = n / (n + 2), n = e (e + 2), e = exp(x); from 20 on that is 1.
  const auto tanh_softplus = [](const Term& x) {
    const Term power = exp(minimum(x, 20));
    const Term n = power * (power + 2);
    return n / (n + 2);
  };
  const auto formula = [=](const Term& x) {
    // The product would lose 4 ulp in f32, and far below 0, where exp is denormal, all digits.
    const auto value = [=](const Term& y) { return y * tanh_softplus(y); };
    return x.dtype() == DType::f64 ? value(x) : in_f64(x, value);
  };
  const auto gradient = [=](const Term& x, const Term&, const Term& g) {
    const Term t = tanh_softplus(x);
    return g * (t + x * sigmoid(x) * (1 - t * t));
  };
  return with_gradient("mish", x, formula, gradient, where);
}

}  // namespace wick
