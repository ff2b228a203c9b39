#pragma once

// Stochastic gradient descent.

#include "wick/nn/optim/optimizer.h"

namespace wick::optim {

struct SGDOptions {
  double lr = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
};

/// g = grad + weight_decay p; with momentum m: v = m v + g, and g = v (Nesterov: g = g + m v);
/// p = p - lr g. The velocity v starts at 0 (Sutskever et al., 2013, with lr outside of v). Error
/// for Nesterov without momentum.
class SGD final : public Optimizer {
 public:
  explicit SGD(std::vector<nn::Parameter> parameters,
               SGDOptions options = {},
               Where where = Where::current());

 private:
  Tensor updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) override;

  SGDOptions options_;
};

}  // namespace wick::optim
