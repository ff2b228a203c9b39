// softmax and log_softmax of wick/tensor/ops.h are implemented here for the sake of their
// gradients, which need the result alone; those of the formulas would keep the exponentials as
// well.

#include "wick/autograd/own_gradient.h"
#include "wick/tensor/op_arguments.h"

namespace wick {

using detail::Term;

namespace {

Term sum_along(const Term& x, const Axes& axes) {
  return {sum(x.tensor, axes, true, x.where), x.where};
}

/// x less its largest element. Of no elements there is none.
Term shifted(const Term& x, const Axes& axes) {
  if (x.tensor.numel() == 0) return x;
  return x - Term{max(x.tensor, axes, true, x.where), x.where};
}

}  // namespace

Tensor softmax(const Tensor& x, int axis, Where where) {
  const Term term = detail::float_term_of("softmax", x, where);
  const Axes axes = detail::reduced_axes("softmax", {axis}, term.tensor.type(), where);
  const auto formula = [&](const Term& y) {
    const Term weights = exp(shifted(y, axes));
    return weights / sum_along(weights, axes);
  };
  const auto gradient = [axes](const Term& /*x*/, const Term& y, const Term& g) {
    return y * (g - sum_along(y * g, axes));
  };
  return autograd::with_gradient("softmax", term.tensor, formula, gradient, where);
}

Tensor log_softmax(const Tensor& x, int axis, Where where) {
  const Term term = detail::float_term_of("log_softmax", x, where);
  const Axes axes = detail::reduced_axes("log_softmax", {axis}, term.tensor.type(), where);
  const auto formula = [&](const Term& y) {
    const Term differences = shifted(y, axes);
    return differences - log(sum_along(exp(differences), axes));
  };
  const auto gradient = [axes](const Term& /*x*/, const Term& y, const Term& g) {
    return g - exp(y) * sum_along(g, axes);
  };
  return autograd::with_gradient("log_softmax", term.tensor, formula, gradient, where);
}

}  // namespace wick
