#pragma once

// Smooth activations with gradients of their own. Of floats; integers and bools are taken as f32,
// half types are computed in f32 and rounded once. The piecewise ones are in
// wick/tensor/ops_activation.h.

#include "wick/tensor/ops.h"

namespace wick {

/// x where x > 0, alpha (exp(x) - 1) elsewhere (Clevert et al., 2015).
Tensor elu(const Tensor& x, double alpha = 1, Where where = Where::current());
/// x where x > 0, alpha (exp(x / alpha) - 1) elsewhere (Barron, 2017). Error if alpha is 0.
Tensor celu(const Tensor& x, double alpha = 1, Where where = Where::current());
/// 1.0507 times elu with alpha 1.6733 (Klambauer et al., 2017).
Tensor selu(const Tensor& x, Where where = Where::current());
/// log(1 + exp(beta x)) / beta; x itself where beta x > threshold.
Tensor softplus(const Tensor& x,
                double beta = 1,
                double threshold = 20,
                Where where = Where::current());
/// log(sigmoid(x)).
Tensor logsigmoid(const Tensor& x, Where where = Where::current());
/// x tanh(softplus(x)) (Misra, 2019).
Tensor mish(const Tensor& x, Where where = Where::current());

}  // namespace wick
