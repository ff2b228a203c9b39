#pragma once

// Look-up in a table of vectors.

#include <optional>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn {

/// Rows of the weight f32[n, d] at the integer indices: [...] gives f32[..., d]. An index out of
/// range is clamped. No gradient flows to the row `padding_index`. Error if the weight is no matrix
/// or the indices are no integers.
Tensor embedding(const Tensor& indices,
                 const Tensor& weight,
                 std::optional<int64_t> padding_index = std::nullopt,
                 Where where = Where::current());

}  // namespace wick::nn
