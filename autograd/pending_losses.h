#pragma once

// The losses that take_pending_losses() gives to optimizers.

#include "wick/tensor/tensor.h"

namespace wick::autograd {

/// Notes a loss on which backward() ran in this thread.
void note_loss(const Tensor& loss);

}  // namespace wick::autograd
