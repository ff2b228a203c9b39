#pragma once

// Piecewise activations beside relu, gelu and silu of wick/tensor/ops.h; the smooth ones are in
// wick/autograd/activation.h. Of floats; integers and bools are taken as f32. Half types are
// computed in f32 and rounded once. Gradients at kinks are PyTorch's.

#include "wick/tensor/ops.h"

namespace wick {

/// x where x > 0, slope x elsewhere.
Tensor leaky_relu(const Tensor& x, double slope = 0.01, Where where = Where::current());
/// x where x > 0, weight x elsewhere: x f32[n, c, ...] with weight f32[c], or f32[1] for all (He et
/// al., 2015). Error if weight has another size.
Tensor prelu(const Tensor& x, const Tensor& weight, Where where = Where::current());
/// x between the bounds; the gradient at them is 0.
Tensor hardtanh(const Tensor& x, double low = -1, double high = 1, Where where = Where::current());
/// hardtanh between 0 and 6.
Tensor relu6(const Tensor& x, Where where = Where::current());
/// relu6(x + 3) / 6.
Tensor hardsigmoid(const Tensor& x, Where where = Where::current());
/// x hardsigmoid(x) (Howard et al., 2019).
Tensor hardswish(const Tensor& x, Where where = Where::current());
/// 0 where -lambda <= x <= lambda, x elsewhere.
Tensor hardshrink(const Tensor& x, double lambda = 0.5, Where where = Where::current());
/// x moved toward 0 by lambda, 0 where it is nearer.
Tensor softshrink(const Tensor& x, double lambda = 0.5, Where where = Where::current());
/// x - tanh(x).
Tensor tanhshrink(const Tensor& x, Where where = Where::current());
/// x / (1 + |x|).
Tensor softsign(const Tensor& x, Where where = Where::current());
/// x where x > limit, `value` elsewhere; NaN stays.
Tensor threshold(const Tensor& x, double limit, double value, Where where = Where::current());
/// gelu with Phi(x) by tanh: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
Tensor gelu_tanh(const Tensor& x, Where where = Where::current());
/// The first half along an axis times the sigmoid of the second. Error if the extent is odd.
Tensor glu(const Tensor& x, int axis = -1, Where where = Where::current());
/// softmax of -x.
Tensor softmin(const Tensor& x, int axis, Where where = Where::current());

}  // namespace wick
