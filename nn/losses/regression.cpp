#include "wick/nn/losses/regression.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::nn {

namespace {

using detail::reduce_loss;
using detail::to_compute_dtype;

/// prediction - target.
Tensor residual(std::string_view op, const Tensor& prediction, const Tensor& target, Where where) {
  detail::require_same_shape(op, "prediction", prediction, "target", target, where);
  return Operand(to_compute_dtype(prediction, where), where) - to_compute_dtype(target, where);
}

/// log(n!) by Stirling's formula where n > 1, 0 elsewhere.
Tensor stirling(const Tensor& n, Where where) {
  const Tensor is_large = Operand(n, where) > 1;
  const Tensor safe = wick::where(is_large, n, Operand(1, where));
  const Tensor logarithm = log(safe, where);
  const Tensor half_log = log(Operand(safe, where) * (2 * std::numbers::pi), where);
  const Tensor value = Operand(safe, where) * logarithm - safe + Operand(half_log, where) * 0.5;
  return wick::where(is_large, value, Operand(0, where));
}

/// d^2 / 2 where |d| <= threshold, threshold (|d| - threshold/2) elsewhere. By the clipped size,
/// since squares would make the gradient of an infinite d 0 * inf.
Tensor huber_terms(const Tensor& d, double threshold, Where where) {
  const Tensor size = abs(d, where);
  const Tensor clipped = minimum(Operand(size, where), threshold);
  return Operand(clipped, where) * (Operand(size, where) - Operand(clipped, where) * 0.5);
}

}  // namespace

Tensor mse_loss(const Tensor& prediction, const Tensor& target, Reduction reduction, Where where) {
  const Tensor d = residual("mse_loss", prediction, target, where);
  return reduce_loss(square(d, where), reduction, prediction.dtype(), where);
}

Tensor l1_loss(const Tensor& prediction, const Tensor& target, Reduction reduction, Where where) {
  const Tensor d = residual("l1_loss", prediction, target, where);
  return reduce_loss(abs(d, where), reduction, prediction.dtype(), where);
}

Tensor smooth_l1_loss(const Tensor& prediction,
                      const Tensor& target,
                      const SmoothL1Options& options,
                      Where where) {
  const double beta = options.beta;
  if (!(beta >= 0)) {
    throw Error(where, "smooth_l1_loss", fmt::format("beta must not be negative, is {}", beta));
  }
  const Tensor d = residual("smooth_l1_loss", prediction, target, where);
  const Tensor loss =
      beta == 0 ? abs(d, where) : huber_terms(d, beta, where) / Operand(beta, where);
  return reduce_loss(loss, options.reduction, prediction.dtype(), where);
}

Tensor huber_loss(const Tensor& prediction,
                  const Tensor& target,
                  const HuberOptions& options,
                  Where where) {
  const double delta = options.delta;
  if (!(delta > 0)) {
    throw Error(where, "huber_loss", fmt::format("delta must be positive, is {}", delta));
  }
  const Tensor d = residual("huber_loss", prediction, target, where);
  const Tensor loss = huber_terms(d, delta, where);
  return reduce_loss(loss, options.reduction, prediction.dtype(), where);
}

Tensor poisson_nll_loss(const Tensor& prediction,
                        const Tensor& target,
                        const PoissonNllOptions& options,
                        Where where) {
  detail::require_same_shape("poisson_nll_loss", "prediction", prediction, "target", target, where);
  const Tensor x = to_compute_dtype(prediction, where);
  const Tensor t = to_compute_dtype(target, where);
  const Tensor rate = options.log_input ? exp(x, where) : x;
  const Tensor log_rate = options.log_input ? x : log(Operand(x, where) + options.eps, where);
  Tensor loss = Operand(rate, where) - Operand(t, where) * log_rate;
  if (options.full) loss = Operand(loss, where) + stirling(t, where);
  return reduce_loss(loss, options.reduction, prediction.dtype(), where);
}

Tensor gaussian_nll_loss(const Tensor& prediction,
                         const Tensor& target,
                         const Tensor& variance,
                         const GaussianNllOptions& options,
                         Where where) {
  constexpr const char* kOp = "gaussian_nll_loss";
  if (!(options.eps > 0)) {
    throw Error(where, kOp, fmt::format("eps must be positive, is {}", options.eps));
  }
  const Tensor d = residual(kOp, prediction, target, where);
  detail::require_float(kOp, "variance", variance, where);
  if (broadcast_shapes(variance.shape(), prediction.shape()) != prediction.shape()) {
    constexpr auto kText = "variance {} does not broadcast to prediction {}";
    throw Error(
        where, kOp, fmt::format(kText, to_string(variance.type()), to_string(prediction.type())));
  }
  Tensor v = to_compute_dtype(variance, where);
  // The floor moves the value, not the gradient.
  const Tensor lifted = Operand(v, where) + (options.eps - Operand(v.detach(), where));
  v = wick::where(Operand(v, where) < options.eps, lifted, v);
  const Tensor twice = Operand(log(v, where), where) + Operand(square(d, where), where) / v;
  Tensor loss = twice * Operand(0.5, where);
  if (options.full) loss = Operand(loss, where) + 0.5 * std::log(2 * std::numbers::pi);
  return reduce_loss(loss, options.reduction, prediction.dtype(), where);
}

}  // namespace wick::nn
