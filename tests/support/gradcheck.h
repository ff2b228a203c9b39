#pragma once

// Gradients against central differences in f64.

#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "wick/tensor/ops.h"
#include "wick/tensor/tensor.h"

namespace wick::testing_support {

using TensorFunction = std::function<Tensor(std::span<const Tensor>)>;

/// Values spread evenly over (low, high) in a shuffled order that depends on the seed: no two are
/// closer than (high - low) / (2 n), so that a small step passes no tie, and none is an end.
Tensor spread(const Shape& shape, double low, double high, unsigned seed = 1);

struct GradcheckOptions {
  double step = 1e-5;
  /// The differences' own error is about step^2 and 1e-16 / step times the values' size.
  double tolerance = 1e-7;
};

/// Whether the gradients of f, weighted at random over its result's elements, equal central
/// differences at every element of every input. The inputs are f64.
::testing::AssertionResult gradients_match(const TensorFunction& f,
                                           const std::vector<Tensor>& inputs,
                                           const GradcheckOptions& options = {});

/// The same for the gradients of f as functions of the inputs.
::testing::AssertionResult second_gradients_match(const TensorFunction& f,
                                                  const std::vector<Tensor>& inputs,
                                                  const GradcheckOptions& options = {});

}  // namespace wick::testing_support
