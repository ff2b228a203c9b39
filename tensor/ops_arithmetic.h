#pragma once

// Arithmetic beyond the operators: sums and quotients with parameters, bounds, products of three.
// Operands of different dtypes are promoted as those of operators are.

#include "wick/tensor/ops.h"

namespace wick {

/// a + alpha b.
Tensor add(const Operand& a, const Operand& b, const Operand& alpha = 1);
/// a - alpha b.
Tensor sub(const Operand& a, const Operand& b, const Operand& alpha = 1);
/// x + value a b.
Tensor addcmul(const Tensor& x,
               const Tensor& a,
               const Tensor& b,
               const Operand& value = 1,
               Where where = Where::current());
/// x + value a / b.
Tensor addcdiv(const Tensor& x,
               const Tensor& a,
               const Tensor& b,
               const Operand& value = 1,
               Where where = Where::current());

/// start + weight (end - start), exact at weight 1 too. `weight` is a number or broadcasts.
Tensor lerp(const Tensor& start,
            const Tensor& end,
            const Operand& weight,
            Where where = Where::current());

enum class Rounding : uint8_t { none, trunc, floor };

/// a / b, rounded to an integral value toward 0 (trunc) or minus infinity (floor): then of the
/// operands' dtype, without gradient, and of integers 0 where b is 0. Rounding none: true division,
/// which makes f32 of integers.
Tensor div(const Operand& a, const Operand& b, Rounding rounding = Rounding::none);
/// div with Rounding::floor: Python's //.
Tensor floor_divide(const Operand& a, const Operand& b);
/// The remainder of floor_divide, of the sign of b: Python's %. NaN of floats where b is 0, 0 of
/// integers. The remainder of division toward 0 is fmod (wick/autograd/elementary.h).
Tensor remainder(const Operand& a, const Operand& b);

// Bounds (clamp by two numbers is in wick/tensor/ops.h). NaN in any operand gives NaN. The gradient
// goes to x where it is within the bounds, themselves included.

/// x between the bounds, `high` where they are the wrong way round; an undefined bound is none.
Tensor clamp(const Tensor& x,
             const Tensor& low,
             const Tensor& high,
             Where where = Where::current());
/// The larger of x and `low`.
Tensor clamp_min(const Tensor& x, const Operand& low, Where where = Where::current());
/// The smaller of x and `high`.
Tensor clamp_max(const Tensor& x, const Operand& high, Where where = Where::current());

}  // namespace wick
