#pragma once

// Reverse-mode differentiation. Gradients are recorded as ordinary ops: they fuse, print and
// differentiate like any other. Tensor::backward and its relatives are implemented here too.

#include <functional>
#include <source_location>
#include <span>
#include <vector>

#include "wick/tensor/tensor.h"

namespace wick {

/// While it lives, ops recorded by this thread keep no history.
class NoGradGuard {
 public:
  NoGradGuard();
  ~NoGradGuard();
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;

 private:
  bool previous_;
};

/// While it lives, ops recorded by this thread keep history, also inside a NoGradGuard.
class EnableGradGuard {
 public:
  EnableGradGuard();
  ~EnableGradGuard();
  EnableGradGuard(const EnableGradGuard&) = delete;
  EnableGradGuard& operator=(const EnableGradGuard&) = delete;

 private:
  bool previous_;
};

struct GradOptions {
  /// Cotangents of the outputs; empty: ones, and the outputs must be scalars.
  std::vector<Tensor> cotangents = {};
  /// Keep the history for another pass. Gradients themselves are always differentiable while it is
  /// kept. Values that only such a pass would read are computed again when it comes.
  bool retain_graph = true;
};

/// Gradients of the outputs' sum for the inputs; zeros where an input does not matter.
std::vector<Tensor> grad(std::span<const Tensor> outputs,
                         std::span<const Tensor> inputs,
                         const GradOptions& options = {},
                         std::source_location where = std::source_location::current());
std::vector<Tensor> grad(std::initializer_list<Tensor> outputs,
                         std::initializer_list<Tensor> inputs,
                         const GradOptions& options = {},
                         std::source_location where = std::source_location::current());
Tensor grad(const Tensor& output,
            const Tensor& input,
            const GradOptions& options = {},
            std::source_location where = std::source_location::current());

/// Runs `forward` without recording history; gradients come from
/// `backward(inputs, output, cotangent)`, which gives one tensor an input (undefined: none).
using CustomBackward = std::function<std::vector<Tensor>(
    std::span<const Tensor> inputs, const Tensor& output, const Tensor& cotangent)>;
using CustomForward = std::function<Tensor(std::span<const Tensor> inputs)>;
std::function<Tensor(std::span<const Tensor>)> custom_gradient(CustomForward forward,
                                                               CustomBackward backward);

/// Losses on which backward() ran since the last call, still pending and still held by the caller:
/// an optimizer materializes them together with its parameters.
std::vector<Tensor> take_pending_losses();
/// Gradients that backward() left at leaves since the last call, still pending and not cleared, of
/// whichever leaf: an optimizer materializes them too, since those of tensors that it does not
/// update would go on holding the values they are computed from.
std::vector<Tensor> take_pending_gradients();

}  // namespace wick
