#pragma once

// What the functions of nn/ do with their operands first. Internal.

#include <string_view>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::nn::detail {

/// Half types lose too much in the terms of a sum: f16 and bf16 come back as f32.
Tensor to_compute_dtype(const Tensor& x, Where where);

/// Error naming op and operand unless x is a tensor of floats.
void require_float(std::string_view op, std::string_view name, const Tensor& x, Where where);

}  // namespace wick::nn::detail
