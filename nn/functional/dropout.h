#pragma once

// Relatives of dropout (wick/tensor/random.h). Masks are not stored for the backward pass but drawn
// again there. Errors unless 0 <= rate <= 1.

#include "wick/tensor/generator.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// Dropout of whole channels of x f32[n,c,...] at once (Tompson et al., 2015), with 1, 2 or 3 axes
/// behind them.
Tensor dropout1d(const Tensor& x,
                 double rate,
                 Generator& generator = default_generator(),
                 Where where = Where::current());
Tensor dropout2d(const Tensor& x,
                 double rate,
                 Generator& generator = default_generator(),
                 Where where = Where::current());
Tensor dropout3d(const Tensor& x,
                 double rate,
                 Generator& generator = default_generator(),
                 Where where = Where::current());

/// Elements become the least value of SELU with probability `rate`, and all are scaled and shifted
/// to keep mean 0 and variance 1 (Klambauer et al., 2017).
Tensor alpha_dropout(const Tensor& x,
                     double rate,
                     Generator& generator = default_generator(),
                     Where where = Where::current());

}  // namespace wick::nn
