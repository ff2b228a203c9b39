// Gradients of the ops named fft.*: the transforms are linear, so each is another's transpose, with
// the real and the imaginary part as two variables.

#include <vector>

#include "wick/autograd/custom_op_gradient.h"
#include "wick/tensor/custom_op.h"
#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using Inputs = std::span<const Tensor>;

/// Of the n / 2 + 1 kept numbers of n, those that stand for themselves alone get `single`, those
/// that stand for their conjugate too get `twice`. Broadcasts along `axis` of a complex tensor.
Tensor weights(
    const Tensor& halved, int64_t axis, int64_t n, double single, double twice, Where w) {
  const int64_t m = n / 2 + 1;
  const Tensor k = arange(m, halved.dtype(), w);
  const Tensor is_first = Operand(k, w) == 0;
  const Tensor is_single = n % 2 == 0 ? is_first | (Operand(k, w) == n / 2) : is_first;
  Axes extents(static_cast<size_t>(halved.ndim()), 1);
  extents[static_cast<size_t>(axis)] = m;
  const Tensor all = full({}, twice, halved.dtype(), w);
  return reshape(wick::where(is_single, Operand(single, w), all), Shape(extents), w);
}

std::vector<Tensor> c2c(Inputs /*inputs*/,
                        const Tensor& output,
                        const Tensor& cotangent,
                        const ir::Attributes& attributes) {
  ir::Attributes turned{{"axes", attributes.integers("axes")}};
  if (!attributes.flag("inverse")) turned.set("inverse", true);
  return {custom_op("fft.c2c", {cotangent}, std::move(turned), output.node()->where())};
}

/// c2r counts every number but the single ones twice.
std::vector<Tensor> r2c(Inputs inputs,
                        const Tensor& output,
                        const Tensor& cotangent,
                        const ir::Attributes& attributes) {
  const Where where = output.node()->where();
  const int64_t axis = attributes.integer("axis", 0);
  const int64_t n = inputs[0].size(static_cast<int>(axis), where);
  const Tensor halved = Operand(cotangent, where) * weights(cotangent, axis, n, 1, 0.5, where);
  return {custom_op("fft.c2r", {halved}, {{"axis", axis}, {"n", n}}, where)};
}

std::vector<Tensor> c2r(Inputs /*inputs*/,
                        const Tensor& output,
                        const Tensor& cotangent,
                        const ir::Attributes& attributes) {
  const Where where = output.node()->where();
  const int64_t axis = attributes.integer("axis", 0);
  const int64_t n = attributes.integer("n", 0);
  const Tensor spectrum = custom_op("fft.r2c", {cotangent}, {{"axis", axis}}, where);
  return {Operand(spectrum, where) * weights(spectrum, axis, n, 1, 2, where)};
}

bool register_rules() {
  register_custom_gradient("fft.c2c", c2c);
  register_custom_gradient("fft.c2r", c2r);
  register_custom_gradient("fft.r2c", r2c);
  return true;
}

[[maybe_unused]] const bool kRegistered = register_rules();

}  // namespace
}  // namespace wick::autograd
