#pragma once

// Losses: scalars, means over the batch.

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// -mean over the rows of log_probs[row, labels[row]]: log_probs f32[..., c], labels integers of
/// the leading shape. A label outside [0, c) contributes 0. Error if shapes or dtypes do not fit.
Tensor nll_loss(const Tensor& log_probs, const Tensor& labels, Where where = Where::current());

/// nll_loss(log_softmax(logits, -1), labels): logits f32[..., c], labels integers.
Tensor cross_entropy(const Tensor& logits, const Tensor& labels, Where where = Where::current());

/// mean((prediction - target)^2). Error if the types differ: broadcasting here is always a bug.
Tensor mse_loss(const Tensor& prediction, const Tensor& target, Where where = Where::current());

}  // namespace wick::nn
