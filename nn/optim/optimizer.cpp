#include "wick/nn/optim/optimizer.h"

#include <iterator>
#include <utility>

#include "wick/autograd/autograd.h"
#include "wick/nn/pending_state.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/ops.h"

namespace wick::optim {

namespace {

void append(std::vector<Tensor>& to, std::vector<Tensor> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Optimizer::Optimizer(std::vector<nn::Parameter> parameters, double lr, int slots, Where where)
    : parameters_(std::move(parameters)),
      lr_(lr) {
  // Computed here, so that the first step is the same program as the second.
  std::vector<Tensor> wanted;
  for (const nn::Parameter& parameter : parameters_) {
    std::vector<Tensor> state;
    for (int slot = 0; slot < slots; ++slot) {
      state.push_back(zeros(parameter.shape(), parameter.type().dtype, where));
    }
    wanted.push_back(parameter.value());
    wanted.insert(wanted.end(), state.begin(), state.end());
    state_.push_back(std::move(state));
  }
  if (!wanted.empty()) detail::materialize_with_escaping(wanted, "step", where);
}

void Optimizer::step(Where where) {
  const NoGradGuard no_grad;
  ++num_steps_;
  begin_step();
  std::vector<Tensor> wanted = take_pending_losses();
  append(wanted, nn::detail::take_pending_state());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    nn::Parameter& parameter = parameters_[i];
    const Tensor grad = parameter.grad();
    if (!grad.defined()) continue;
    parameter.assign(updated(parameter.value(), grad, state_[i]), where);
    wanted.push_back(parameter.value());
    wanted.insert(wanted.end(), state_[i].begin(), state_[i].end());
  }
  append(wanted, take_pending_gradients());
  operands_.clear();
  if (!wanted.empty()) detail::materialize_with_escaping(wanted, "step", where);
}

void Optimizer::zero_grad() {
  for (nn::Parameter& parameter : parameters_) {
    parameter.zero_grad();
  }
}

Tensor Optimizer::operand(int slot, double number, DType dtype) {
  for (const NamedOperand& known : operands_) {
    if (known.slot == slot && known.dtype == dtype) return known.value;
  }
  operands_.push_back({slot, dtype, scalar(number, dtype)});
  return operands_.back().value;
}

}  // namespace wick::optim
