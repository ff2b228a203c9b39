// logsumexp of wick/tensor/ops.h is implemented here for the sake of its gradient: the cotangent
// times exp(x - y), also where a maximum is infinite.

#include <algorithm>
#include <limits>
#include <vector>

#include "wick/autograd/own_gradient.h"
#include "wick/tensor/op_arguments.h"

namespace wick {

using detail::Term;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log of the sum over `axes`, kept. Infinite maxima are not subtracted: inf - inf is NaN, and what
/// is infinite stays so without.
Term log_of_sum(const Term& x, const Axes& axes) {
  const Term peak{max(x.tensor, axes, true, x.where), x.where};
  const Term shift = select(abs(peak) == kInfinity, 0, peak);
  const Term total{sum(exp(x - shift).tensor, axes, true, x.where), x.where};
  return log(total) + shift;
}

Shape without(const Shape& shape, const Axes& axes) {
  std::vector<int64_t> extents;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    if (!std::ranges::binary_search(axes, axis)) extents.push_back(shape[axis]);
  }
  return Shape(std::span<const int64_t>(extents));
}

}  // namespace

Tensor logsumexp(const Tensor& x, Axes axes, bool keepdims, Where where) {
  const Term term = detail::float_term_of("logsumexp", x, where);
  const Axes reduced = detail::reduced_axes("logsumexp", axes, term.tensor.type(), where);
  Shape kept = term.shape();
  for (const int64_t axis : reduced)
    kept.set(static_cast<int>(axis), 1);
  const auto formula = [&](const Term& y) {
    // Of no elements there is no maximum, and the sum is 0.
    if (y.tensor.numel() == 0) return log(Term{sum(y.tensor, reduced, true, where), where});
    return log_of_sum(y, reduced);
  };
  const auto gradient = [](const Term& y, const Term& result, const Term& g) {
    return g * exp(y - result);
  };
  const Tensor result = autograd::with_gradient("logsumexp", term.tensor, formula, gradient, where);
  return keepdims ? result : reshape(result, without(term.shape(), reduced), where);
}

}  // namespace wick
