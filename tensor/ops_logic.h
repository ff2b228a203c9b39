#pragma once

// Comparisons by name, logic and bits. Operands of different dtypes are promoted.

#include "wick/tensor/ops.h"

namespace wick {

// Bools; false with a NaN, but for ne.
Tensor eq(const Operand& a, const Operand& b);
Tensor ne(const Operand& a, const Operand& b);
Tensor lt(const Operand& a, const Operand& b);
Tensor le(const Operand& a, const Operand& b);
Tensor gt(const Operand& a, const Operand& b);
Tensor ge(const Operand& a, const Operand& b);

// Bools of any dtypes: what is not 0, NaN included, is true.
Tensor logical_and(const Operand& a, const Operand& b);
Tensor logical_or(const Operand& a, const Operand& b);
Tensor logical_xor(const Operand& a, const Operand& b);
Tensor logical_not(const Tensor& x, Where where = Where::current());

// Of integers, and of bools, where they are logic. Error for floats.
Tensor bitwise_and(const Operand& a, const Operand& b);
Tensor bitwise_or(const Operand& a, const Operand& b);
Tensor bitwise_xor(const Operand& a, const Operand& b);
Tensor bitwise_not(const Tensor& x, Where where = Where::current());
/// a 2^b of integers, wrapped; 0 where b is negative or no smaller than the width.
Tensor bitwise_left_shift(const Operand& a, const Operand& b);
/// a / 2^b of integers toward minus infinity; b out of range shifts everything out.
Tensor bitwise_right_shift(const Operand& a, const Operand& b);

/// x with `value` where the bool mask is true.
Tensor masked_fill(const Tensor& x,
                   const Tensor& mask,
                   const Operand& value,
                   Where where = Where::current());

struct ClosenessOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};

/// Whether |a - b| <= atol + rtol |b|; infinities are close to themselves alone.
Tensor isclose(const Operand& a, const Operand& b, const ClosenessOptions& options = {});
/// Whether all elements are close: a rank-0 bool.
Tensor allclose(const Operand& a, const Operand& b, const ClosenessOptions& options = {});

}  // namespace wick
