#pragma once

// Gradients of ops registered from outside (wick/ir/custom_op.h, wick/tensor/custom_op.h).

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/attributes.h"
#include "wick/tensor/tensor.h"

namespace wick {

/// One gradient an input; undefined where none flows. Ops recorded here are differentiable
/// again. A gradient of a shape that its input broadcasts to is summed to the input's shape.
using CustomOpGradient = std::function<std::vector<Tensor>(std::span<const Tensor> inputs,
                                                           const Tensor& output,
                                                           const Tensor& cotangent,
                                                           const ir::Attributes& attributes)>;

/// Throws std::invalid_argument when the name is malformed, or has a gradient already.
/// Differentiating an op without one is an Error at the op's line.
void register_custom_gradient(std::string_view name, CustomOpGradient gradient);

namespace autograd {

/// Null when there is none.
const CustomOpGradient* find_custom_gradient(std::string_view name);

}  // namespace autograd
}  // namespace wick
