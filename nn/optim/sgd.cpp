#include "wick/nn/optim/sgd.h"

#include <utility>

#include <fmt/format.h>

#include "wick/ir/error.h"

namespace wick::optim {

namespace {

enum Slot : int { kLr, kMomentum, kDecay };

}  // namespace

SGD::SGD(std::vector<nn::Parameter> parameters, SGDOptions options, Where where)
    : Optimizer(std::move(parameters), options.lr, options.momentum != 0 ? 1 : 0, where),
      options_(options) {
  if (options.nesterov && options.momentum <= 0) {
    throw Error(where,
                "sgd",
                fmt::format("nesterov needs a positive momentum, it is {}", options.momentum));
  }
}

Tensor SGD::updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) {
  const DType dtype = value.dtype();
  Tensor direction = grad;
  if (options_.weight_decay != 0) {
    direction += value * operand(kDecay, options_.weight_decay, dtype);
  }
  if (options_.momentum != 0) {
    const Tensor momentum = operand(kMomentum, options_.momentum, dtype);
    state[0] = state[0] * momentum + direction;
    direction = options_.nesterov ? direction + state[0] * momentum : state[0];
  }
  return value - direction * operand(kLr, lr(), dtype);
}

}  // namespace wick::optim
