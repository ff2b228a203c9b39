#pragma once

// Elementary functions with gradients of their own: those of their formulas would be NaN at edges
// or cost more. Integers and bools are taken as f32, half types are computed in f32 and rounded
// once. Values of f32 are within 2 ulp (docs/accuracy.md).

#include "wick/tensor/ops.h"

namespace wick {

Tensor tan(const Tensor& x, Where where = Where::current());
/// In [-pi/2, pi/2]; NaN outside of [-1, 1].
Tensor asin(const Tensor& x, Where where = Where::current());
/// In [0, pi]; NaN outside of [-1, 1].
Tensor acos(const Tensor& x, Where where = Where::current());
/// The angle of the point (x, y) in [-pi, pi], with C's values for zeros and infinities.
Tensor atan2(const Operand& y, const Operand& x);

Tensor sinh(const Tensor& x, Where where = Where::current());
Tensor cosh(const Tensor& x, Where where = Where::current());
Tensor asinh(const Tensor& x, Where where = Where::current());
/// NaN below 1.
Tensor acosh(const Tensor& x, Where where = Where::current());
/// NaN outside of [-1, 1].
Tensor atanh(const Tensor& x, Where where = Where::current());

/// exp(x) - 1, accurate near 0.
Tensor expm1(const Tensor& x, Where where = Where::current());
/// log(1 + x), accurate near 0 (Kahan).
Tensor log1p(const Tensor& x, Where where = Where::current());
/// log(exp(a) + exp(b)).
Tensor logaddexp(const Operand& a, const Operand& b);
/// log2(2^a + 2^b).
Tensor logaddexp2(const Operand& a, const Operand& b);

/// The real cube root.
Tensor cbrt(const Tensor& x, Where where = Where::current());
/// sqrt(a^2 + b^2) without overflow on the way; inf where either is infinite.
Tensor hypot(const Operand& a, const Operand& b);
/// |a| with the sign bit of b.
Tensor copysign(const Operand& a, const Operand& b);
/// The remainder of a / b rounded toward 0, of the sign of a: C's fmod, of integers %, and 0 where
/// an integer b is 0. No cast: integers stay.
Tensor fmod(const Operand& a, const Operand& b);

}  // namespace wick
