#include "wick/nn/optim/adam.h"

#include <cmath>
#include <utility>

#include "wick/tensor/ops.h"

namespace wick::optim {

Adam::Adam(std::vector<nn::Parameter> parameters, AdamOptions options, Where where)
    : Optimizer(std::move(parameters), options.lr, 2, where),
      options_(options) {}

void Adam::begin_step() {
  const auto t = static_cast<double>(num_steps());
  correction1_ = 1.0 / (1.0 - std::pow(options_.beta1, t));
  correction2_ = 1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t));
}

Tensor Adam::updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) {
  if (options_.weight_decay == 0) return moved(value, grad, state);
  const Tensor decay = operand(kDecay, options_.weight_decay, value.dtype());
  return moved(value, grad + value * decay, state);
}

Tensor Adam::moved(const Tensor& value, const Tensor& grad, std::span<Tensor> state) {
  const DType dtype = value.dtype();
  Tensor& m = state[0];
  Tensor& v = state[1];
  m = m * operand(kBeta1, options_.beta1, dtype) +
      grad * operand(kRest1, 1.0 - options_.beta1, dtype);
  v = v * operand(kBeta2, options_.beta2, dtype) +
      square(grad) * operand(kRest2, 1.0 - options_.beta2, dtype);
  const Tensor root = sqrt(v) * operand(kCorrection2, correction2_, dtype);
  const Tensor step_size = operand(kStepSize, lr() * correction1_, dtype);
  return value - m * step_size / (root + operand(kEps, options_.eps, dtype));
}

AdamW::AdamW(std::vector<nn::Parameter> parameters, AdamWOptions options, Where where)
    : Adam(std::move(parameters),
           {.lr = options.lr,
            .beta1 = options.beta1,
            .beta2 = options.beta2,
            .eps = options.eps,
            .weight_decay = options.weight_decay},
           where) {}

Tensor AdamW::updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) {
  if (options().weight_decay == 0) return moved(value, grad, state);
  const Tensor keep = operand(kDecay, 1.0 - lr() * options().weight_decay, value.dtype());
  return moved(value * keep, grad, state);
}

}  // namespace wick::optim
