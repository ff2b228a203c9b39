#pragma once

// Adam and its variant with decoupled weight decay.

#include "wick/nn/optim/optimizer.h"

namespace wick::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
};

/// g = grad + weight_decay p; m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
/// p = p - lr m' / (sqrt(v') + eps), m' = m / (1 - beta1^t), v' = v / (1 - beta2^t) in step t
/// (Kingma and Ba, 2015).
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<nn::Parameter> parameters,
                AdamOptions options = {},
                Where where = Where::current());

 protected:
  [[nodiscard]] const AdamOptions& options() const { return options_; }

  void begin_step() override;
  Tensor updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) override;

  /// The step after weight decay.
  Tensor moved(const Tensor& value, const Tensor& grad, std::span<Tensor> state);

  enum Slot : int { kBeta1, kBeta2, kRest1, kRest2, kStepSize, kCorrection2, kEps, kDecay };

 private:
  AdamOptions options_;
  double correction1_ = 1;  // 1 / (1 - beta1^t)
  double correction2_ = 1;  // 1 / sqrt(1 - beta2^t)
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;
};

/// Adam with p = p (1 - lr weight_decay) before the step instead of decay in the gradient
/// (Loshchilov and Hutter, 2019).
class AdamW final : public Adam {
 public:
  explicit AdamW(std::vector<nn::Parameter> parameters,
                 AdamWOptions options = {},
                 Where where = Where::current());

 private:
  Tensor updated(const Tensor& value, const Tensor& grad, std::span<Tensor> state) override;
};

}  // namespace wick::optim
