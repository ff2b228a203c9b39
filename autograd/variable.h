#pragma once

// Variables of differentiation: stand-ins for the inputs of a function, so that its derivative for
// them can be told from that for other uses of the same tensors.

#include <source_location>
#include <span>
#include <vector>

#include "wick/tensor/tensor.h"

namespace wick::autograd {

/// A tensor of the same value that is differentiated for. Gradients flow on to `x` where it
/// requires one. It is no leaf: backward() leaves nothing at it.
Tensor variable(const Tensor& x, std::source_location where);

/// Whether the tensors depend on something that requires a gradient other than the variables.
bool depend_on_others(std::span<const Tensor> tensors,
                      std::span<const Tensor> variables,
                      std::source_location where);

}  // namespace wick::autograd
