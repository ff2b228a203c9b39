#pragma once

// Derivatives of functions of tensors. A function may use other tensors; gradients flow to them as
// usual. Every derivative can be differentiated again, to any order, where an input or one of those
// other tensors requires a gradient, or inside another call of these functions.

#include <functional>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include "wick/tensor/tensor.h"

namespace wick {

/// A function of one tensor, of several, and one with several results.
using TensorFunction = std::function<Tensor(const Tensor&)>;
using TensorsFunction = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

struct VjpResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> gradients;  // one an input, of its type
};

/// Reverse mode: f(inputs), and the product of `cotangents`, one an output, with its Jacobian. An
/// undefined cotangent counts as zeros.
VjpResult vjp(const TensorsFunction& f,
              std::span<const Tensor> inputs,
              std::span<const Tensor> cotangents,
              std::source_location where = std::source_location::current());
/// f(x), and the gradient.
std::pair<Tensor, Tensor> vjp(const TensorFunction& f,
                              const Tensor& x,
                              const Tensor& cotangent,
                              std::source_location where = std::source_location::current());

struct JvpResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> tangents;  // one an output, of its type
};

/// Forward mode: f(inputs), and the product of its Jacobian with `tangents`, one an input. It is
/// the gradient of the vjp, which is linear, for its cotangents; what the vjp itself computes is
/// dead code by then.
JvpResult jvp(const TensorsFunction& f,
              std::span<const Tensor> inputs,
              std::span<const Tensor> tangents,
              std::source_location where = std::source_location::current());
/// f(x), and the tangent.
std::pair<Tensor, Tensor> jvp(const TensorFunction& f,
                              const Tensor& x,
                              const Tensor& tangent,
                              std::source_location where = std::source_location::current());

/// result[i][j] holds the derivatives of output i for input j: its shape is that of the output
/// followed by that of the input. Takes a pass an element of the outputs or, if they are fewer, of
/// the inputs.
std::vector<std::vector<Tensor>> jacobian(
    const TensorsFunction& f,
    std::span<const Tensor> inputs,
    std::source_location where = std::source_location::current());
Tensor jacobian(const TensorFunction& f,
                const Tensor& x,
                std::source_location where = std::source_location::current());

/// Second derivatives of a function whose result has one element: of the shape of x, twice.
Tensor hessian(const TensorFunction& f,
               const Tensor& x,
               std::source_location where = std::source_location::current());

/// The product of that matrix with `tangent`, without the matrix (Pearlmutter, 1994).
Tensor hvp(const TensorFunction& f,
           const Tensor& x,
           const Tensor& tangent,
           std::source_location where = std::source_location::current());

}  // namespace wick
