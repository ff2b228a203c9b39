#pragma once

// What all optimizers share: the parameters, the learning rate and the step.

#include <cstdint>
#include <span>
#include <vector>

#include "wick/nn/parameter.h"
#include "wick/tensor/tensor.h"

namespace wick::optim {

/// Moves parameters along their gradients. A step is one program: forward pass, backward pass and
/// update of everything, the loss included.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// Updates every parameter that has a gradient and computes all of it now, together with losses
  /// whose backward() ran, running statistics, and pending values that the caller still holds.
  void step(Where where = Where::current());
  /// Forgets the gradients of all parameters.
  void zero_grad();

  [[nodiscard]] double lr() const { return lr_; }

  /// May change every step: the learning rate is an operand of the program.
  void set_lr(double lr) { lr_ = lr; }

  [[nodiscard]] int64_t num_steps() const { return num_steps_; }

 protected:
  /// `slots`: tensors of state kept for each parameter, zero at first.
  Optimizer(std::vector<nn::Parameter> parameters, double lr, int slots, Where where);

  /// Called once at the start of a step, when num_steps() already counts it.
  virtual void begin_step() {}

  /// The parameter's new value; replaces `state` by its new values. Records only.
  virtual Tensor updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) = 0;

  /// The number as a scalar operand, one for all parameters of a dtype. `slot` tells the numbers of
  /// a step apart: two that happen to be equal must not become one operand, or the program would
  /// differ from step to step.
  Tensor operand(int slot, double number, DType dtype);

 private:
  struct NamedOperand {
    int slot;
    DType dtype;
    Tensor value;
  };

  std::vector<nn::Parameter> parameters_;
  std::vector<std::vector<Tensor>> state_;  // one entry a parameter
  std::vector<NamedOperand> operands_;      // of the step being recorded
  double lr_;
  int64_t num_steps_ = 0;
};

}  // namespace wick::optim
