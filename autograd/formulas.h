#pragma once

// Values of functions, accurate at the edges, for operands of f32 or f64. Gradients are the matter
// of those who call these. Internal.

#include "wick/tensor/term.h"

namespace wick::autograd {

using Formula = detail::Term (*)(const detail::Term&);

detail::Term expm1_value(const detail::Term& x);
detail::Term log1p_value(const detail::Term& x);
/// log(1 + exp(x)), without overflow.
detail::Term log1p_exp_value(const detail::Term& x);

detail::Term tan_value(const detail::Term& x);
detail::Term asin_value(const detail::Term& x);
detail::Term acos_value(const detail::Term& x);
detail::Term sinh_value(const detail::Term& x);
detail::Term cosh_value(const detail::Term& x);
detail::Term asinh_value(const detail::Term& x);
detail::Term acosh_value(const detail::Term& x);
detail::Term atanh_value(const detail::Term& x);
detail::Term atan2_value(const detail::Term& y, const detail::Term& x);
detail::Term hypot_value(const detail::Term& a, const detail::Term& b);
detail::Term cbrt_value(const detail::Term& x);
detail::Term sinc_value(const detail::Term& x);

detail::Term erfc_value(const detail::Term& x);
detail::Term erfinv_value(const detail::Term& x);
detail::Term lgamma_value(const detail::Term& x);
detail::Term digamma_value(const detail::Term& x);
/// The n-th derivative of digamma, n > 0.
detail::Term polygamma_value(int n, const detail::Term& x);

}  // namespace wick::autograd
