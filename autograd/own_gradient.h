#pragma once

// Functions whose gradient is not that of their formula: a formula, and beside it what a cotangent
// becomes. Internal.

#include <functional>
#include <string_view>

#include "wick/tensor/term.h"

namespace wick::autograd {

using UnaryFormula = std::function<detail::Term(const detail::Term& x)>;
/// From operand, result and cotangent.
using UnaryGradient = std::function<detail::Term(
    const detail::Term& x, const detail::Term& y, const detail::Term& cotangent)>;

/// The formula's value, of an operand that is f32 (integers, bools and half types are cast) or f64.
Tensor with_gradient(std::string_view op,
                     const Tensor& x,
                     const UnaryFormula& formula,
                     const UnaryGradient& gradient,
                     std::source_location where);

using BinaryFormula = std::function<detail::Term(const detail::Term& a, const detail::Term& b)>;

/// What a gradient of a function of two operands may look at.
struct BinaryStep {
  detail::Term a;
  detail::Term b;
  detail::Term y;
  detail::Term cotangent;
};

/// Of the broadcast shape; sums over broadcast axes are made by with_gradients. Null: none.
using BinaryGradient = std::function<detail::Term(const BinaryStep&)>;

/// The same for operands that broadcast, promoted to one of these dtypes.
Tensor with_gradients(std::string_view op,
                      const Operand& a,
                      const Operand& b,
                      const BinaryFormula& formula,
                      const BinaryGradient& gradient_a,
                      const BinaryGradient& gradient_b);

}  // namespace wick::autograd
