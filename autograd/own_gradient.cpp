#include "wick/autograd/own_gradient.h"

#include <array>

#include "wick/autograd/autograd.h"
#include "wick/autograd/term.h"

namespace wick::autograd {
namespace {

Term to_computed(const Term& x) {
  return is_half(x.dtype()) ? cast(x, DType::f32) : x;
}

/// A gradient of the operand's shape; none where nobody asks for it.
Tensor gradient_of(const BinaryGradient& gradient, const BinaryStep& step, const Tensor& operand) {
  if (gradient == nullptr || !operand.requires_grad()) return {};
  const Term full = gradient(step);
  return sum_to(full, operand.shape()).tensor;
}

}  // namespace

Tensor with_gradient(std::string_view op,
                     const Tensor& x,
                     const UnaryFormula& formula,
                     const UnaryGradient& gradient,
                     std::source_location where) {
  const Term term = detail::float_term_of(op, x, where);
  const Term computed = to_computed(term);
  const auto function = custom_gradient(
      [&](std::span<const Tensor> inputs) { return formula({inputs[0], where}).tensor; },
      [gradient, where](std::span<const Tensor> inputs, const Tensor& y, const Tensor& cotangent) {
        return std::vector{gradient({inputs[0], where}, {y, where}, {cotangent, where}).tensor};
      });
  const Term result{function({&computed.tensor, 1}), where};
  return cast(result, term.dtype()).tensor;
}

Tensor with_gradients(std::string_view op,
                      const Operand& a,
                      const Operand& b,
                      const BinaryFormula& formula,
                      const BinaryGradient& gradient_a,
                      const BinaryGradient& gradient_b) {
  const auto [x, y] = detail::float_terms_of(op, a, b);
  const std::source_location where = a.where;
  const std::array operands = {to_computed(x).tensor, to_computed(y).tensor};
  const auto function = custom_gradient(
      [&](std::span<const Tensor> inputs) {
        return formula({inputs[0], where}, {inputs[1], where}).tensor;
      },
      [gradient_a, gradient_b, where](
          std::span<const Tensor> inputs, const Tensor& y, const Tensor& cotangent) {
        const BinaryStep step{
            {inputs[0], where}, {inputs[1], where}, {y, where}, {cotangent, where}};
        return std::vector{gradient_of(gradient_a, step, inputs[0]),
                           gradient_of(gradient_b, step, inputs[1])};
      });
  const Term result{function(operands), where};
  return cast(result, x.dtype()).tensor;
}

}  // namespace wick::autograd
