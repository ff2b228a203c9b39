#pragma once

// Special functions, with gradients of their own that are differentiable in turn. Integers and
// bools are taken as f32, half types are computed in f32 and rounded once. Values of f32 are within
// 2 ulp, of lgamma and digamma 4 (docs/accuracy.md).

#include <optional>

#include "wick/tensor/ops.h"

namespace wick {

/// 1 - erf(x), accurate where that is small.
Tensor erfc(const Tensor& x, Where where = Where::current());
/// The inverse of erf: infinite at -1 and 1, NaN outside.
Tensor erfinv(const Tensor& x, Where where = Where::current());
/// log |gamma(x)|; inf at 0 and the negative integers.
Tensor lgamma(const Tensor& x, Where where = Where::current());
/// The derivative of log gamma; NaN at the negative integers, -inf at 0, inf at -0.
Tensor digamma(const Tensor& x, Where where = Where::current());
/// The n-th derivative of digamma. Error if n is negative.
Tensor polygamma(int n, const Tensor& x, Where where = Where::current());

/// sin(pi x) / (pi x), 1 at 0.
Tensor sinc(const Tensor& x, Where where = Where::current());
/// log(x / (1 - x)) of x brought into [eps, 1 - eps], where the gradient is 0 outside; without eps
/// value and gradient are NaN outside of [0, 1].
Tensor logit(const Tensor& x,
             std::optional<double> eps = std::nullopt,
             Where where = Where::current());
/// x log y, 0 where x = 0 unless y is NaN.
Tensor xlogy(const Operand& x, const Operand& y);
/// x log(1 + y), 0 where x = 0 unless y is NaN.
Tensor xlog1py(const Operand& x, const Operand& y);

}  // namespace wick
