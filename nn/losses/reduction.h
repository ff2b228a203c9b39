#pragma once

// How the losses of the elements become the result, and what else the losses share.

#include <string_view>

#include "wick/nn/functional/operands.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// None keeps a loss for each element; the mean over none is NaN.
enum class Reduction : uint8_t { none, mean, sum };

namespace detail {

/// Reduces the losses of the elements and casts to `dtype`, that of the prediction.
Tensor reduce_loss(const Tensor& losses, Reduction reduction, DType dtype, Where where);

/// max(x, 0), with the gradient 1 at 0 as the hinges of the literature's implementations have it.
Tensor hinge(const Tensor& x, Where where);

/// Error naming both types unless `a` is a float and both have one shape: broadcasting in a loss
/// is always a bug.
void require_same_shape(std::string_view op,
                        std::string_view a_name,
                        const Tensor& a,
                        std::string_view b_name,
                        const Tensor& b,
                        Where where);

}  // namespace detail
}  // namespace wick::nn
