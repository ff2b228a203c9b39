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

/// What the tensors depend on that requires a gradient, leaves or other variables, on ways that do
/// not go through `variables`.
std::vector<Tensor> other_sources(std::span<const Tensor> tensors,
                                  std::span<const Tensor> variables,
                                  std::source_location where);

/// Lets what was computed from the variables on the way to the tensors forget how it was made, as
/// History::free does.
void forget_history(std::span<const Tensor> tensors,
                    std::span<const Tensor> variables,
                    std::source_location where);

}  // namespace wick::autograd
