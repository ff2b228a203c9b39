#pragma once

// Checkpointing: less memory for a second forward computation (Chen et al., "Training deep nets
// with sublinear memory cost", 2016).

#include <functional>
#include <source_location>
#include <span>

#include "wick/tensor/tensor.h"

namespace wick {

using CheckpointedFunction = std::function<Tensor(std::span<const Tensor> inputs)>;

/// f(inputs), of which a backward pass keeps the inputs alone: it calls f again to compute the
/// rest. Gradients flow to the inputs and to other tensors that f uses, to any order. f must give
/// the same each time; it gets the same random numbers from the default generator, which no other
/// thread should use during the backward pass. Tensors that f leaves elsewhere have no history.
Tensor checkpoint(CheckpointedFunction f,
                  std::span<const Tensor> inputs,
                  std::source_location where = std::source_location::current());
Tensor checkpoint(std::function<Tensor(const Tensor&)> f,
                  const Tensor& x,
                  std::source_location where = std::source_location::current());

}  // namespace wick
