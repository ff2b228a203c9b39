#pragma once

// What backward() left pending in this thread: losses and gradients, for optimizers to materialize
// together with their parameters.
//
// A gradient that is pending holds the program that computes it, which reads the leaf, which keeps
// the gradient. This circle, and the values that the program holds, go when the gradient is
// materialized or cleared. So that a program which does neither stays bounded, backward() itself
// materializes gradients that have been pending for several calls.

#include <source_location>

#include "wick/autograd/meta.h"
#include "wick/tensor/tensor.h"

namespace wick::autograd {

/// Calls of backward() that a gradient may stay pending for: enough for accumulating over a few
/// batches in one program.
inline constexpr int kMaxPendingCalls = 8;

/// Notes that backward() added to the gradient of this leaf.
void note_gradient(LeafMeta& leaf);
/// Notes the loss at the end of a backward(), and materializes gradients that waited too long.
void note_backward(const Tensor& loss, std::source_location where);

}  // namespace wick::autograd
