#pragma once

// Elementwise functions of floats beyond those of wick/tensor/ops.h. Integers and bools are taken
// as f32, unless it says otherwise; f16 and bf16 are computed in f32 and rounded once. Functions
// whose gradient is not that of their formula are in wick/autograd/elementary.h and special.h.

#include <optional>

#include "wick/tensor/ops.h"

namespace wick {

/// 1 / x.
Tensor reciprocal(const Tensor& x, Where where = Where::current());
/// 2^x.
Tensor exp2(const Tensor& x, Where where = Where::current());
/// Logarithm to the base 2; exact for powers of it.
Tensor log2(const Tensor& x, Where where = Where::current());
/// Logarithm to the base 10; exact for powers of it.
Tensor log10(const Tensor& x, Where where = Where::current());
/// x pi / 180.
Tensor deg2rad(const Tensor& x, Where where = Where::current());
/// x 180 / pi.
Tensor rad2deg(const Tensor& x, Where where = Where::current());

/// Rounded toward 0. Integers stay.
Tensor trunc(const Tensor& x, Where where = Where::current());
/// x - trunc(x), of the sign of x; NaN at infinities.
Tensor frac(const Tensor& x, Where where = Where::current());
/// Rounded to `decimals` places after the point, before it when negative; ties to even. Integers
/// are f32.
Tensor round(const Tensor& x, int decimals, Where where = Where::current());

// Bools, also of integers.

/// Neither infinite nor NaN.
Tensor isfinite(const Tensor& x, Where where = Where::current());
Tensor isinf(const Tensor& x, Where where = Where::current());
/// Whether the sign bit is set: of -0 and of some NaNs too. Of integers: below 0.
Tensor signbit(const Tensor& x, Where where = Where::current());

/// x with NaN and infinities replaced; those without a number become the largest and the lowest
/// finite number of the dtype. No gradient flows to what was replaced. Integers stay.
Tensor nan_to_num(const Tensor& x,
                  double nan = 0,
                  std::optional<double> positive_infinity = std::nullopt,
                  std::optional<double> negative_infinity = std::nullopt,
                  Where where = Where::current());

/// 0 where x < 0, 1 where x > 0, `value` where x = 0, NaN where x is.
Tensor heaviside(const Operand& x, const Operand& value);
/// The larger of two numbers; of a number and a NaN, the number. Equals: the gradient goes to a.
/// Any dtype.
Tensor fmax(const Operand& a, const Operand& b);
/// The smaller; otherwise as fmax.
Tensor fmin(const Operand& a, const Operand& b);
/// The next number of the dtype after a in the direction of b; b where they are equal.
Tensor nextafter(const Operand& a, const Operand& b);
/// x 2^exponent, without overflow on the way.
Tensor ldexp(const Operand& x, const Operand& exponent);

}  // namespace wick
