#pragma once

// Elementwise activations, softmax and flatten as modules, to be put into a Sequential. Each is the
// function of the same name in wick/tensor/ops.h, ops_activation.h or wick/autograd/activation.h.

#include "wick/autograd/activation.h"
#include "wick/nn/module.h"
#include "wick/tensor/ops_activation.h"

namespace wick::nn {

/// max(x, 0); NaN stays, the gradient at 0 is 0.
class ReLU final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return relu(x, call_site()); }
};

/// An activation that has no numbers to choose.
template <Tensor (*Function)(const Tensor&, Where)>
class Activation final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return Function(x, call_site()); }
};

using Hardsigmoid = Activation<hardsigmoid>;
using Hardswish = Activation<hardswish>;
using LogSigmoid = Activation<logsigmoid>;
using Mish = Activation<mish>;
using ReLU6 = Activation<relu6>;
using SELU = Activation<selu>;
using Softsign = Activation<softsign>;
using Tanhshrink = Activation<tanhshrink>;

/// One with a number.
template <Tensor (*Function)(const Tensor&, double, Where)>
class ParametricActivation : public Module {
 public:
  explicit ParametricActivation(double parameter) : parameter_(parameter) {}

  Tensor forward(const Tensor& x) final { return Function(x, parameter_, call_site()); }

 private:
  double parameter_;
};

class CELU final : public ParametricActivation<celu> {
 public:
  explicit CELU(double alpha = 1) : ParametricActivation(alpha) {}
};

class ELU final : public ParametricActivation<elu> {
 public:
  explicit ELU(double alpha = 1) : ParametricActivation(alpha) {}
};

class Hardshrink final : public ParametricActivation<hardshrink> {
 public:
  explicit Hardshrink(double lambda = 0.5) : ParametricActivation(lambda) {}
};

class LeakyReLU final : public ParametricActivation<leaky_relu> {
 public:
  explicit LeakyReLU(double slope = 0.01) : ParametricActivation(slope) {}
};

class Softshrink final : public ParametricActivation<softshrink> {
 public:
  explicit Softshrink(double lambda = 0.5) : ParametricActivation(lambda) {}
};

/// One with two numbers.
template <Tensor (*Function)(const Tensor&, double, double, Where)>
class BiparametricActivation : public Module {
 public:
  BiparametricActivation(double first, double second) : first_(first), second_(second) {}

  Tensor forward(const Tensor& x) final { return Function(x, first_, second_, call_site()); }

 private:
  double first_;
  double second_;
};

class Hardtanh final : public BiparametricActivation<hardtanh> {
 public:
  explicit Hardtanh(double low = -1, double high = 1) : BiparametricActivation(low, high) {}
};

class Softplus final : public BiparametricActivation<softplus> {
 public:
  explicit Softplus(double beta = 1, double threshold = 20)
      : BiparametricActivation(beta, threshold) {}
};

class Threshold final : public BiparametricActivation<threshold> {
 public:
  Threshold(double limit, double value) : BiparametricActivation(limit, value) {}
};

/// prelu with a parameter `weight` f32[count], at the start 0.25.
class PReLU final : public Module {
 public:
  explicit PReLU(int64_t count = 1, double start = 0.25, Where where = Where::current())
      : weight_(register_parameter("weight", full({count}, start, DType::f32, where), where)) {}

  Tensor forward(const Tensor& x) override { return prelu(x, weight_, call_site()); }

  [[nodiscard]] const Parameter& weight() const { return weight_; }

 private:
  Parameter weight_;
};

/// x Phi(x), Phi being the standard normal distribution function (Hendrycks and Gimpel, 2016), by
/// erf or approximately by tanh.
class GELU final : public Module {
 public:
  enum class Form : uint8_t { erf, tanh };

  explicit GELU(Form form = Form::erf) : form_(form) {}

  Tensor forward(const Tensor& x) override {
    return form_ == Form::tanh ? gelu_tanh(x, call_site()) : gelu(x, call_site());
  }

 private:
  Form form_;
};

/// x / (1 + exp(-x)).
class SiLU final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return silu(x, call_site()); }
};

class Tanh final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return tanh(x, call_site()); }
};

/// 1 / (1 + exp(-x)).
class Sigmoid final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return sigmoid(x, call_site()); }
};

/// exp(x) / sum of exp(x) over `axis`.
class Softmax final : public Module {
 public:
  explicit Softmax(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override { return softmax(x, axis_, call_site()); }

 private:
  int axis_;
};

/// softmax of -x.
class Softmin final : public Module {
 public:
  explicit Softmin(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override { return softmin(x, axis_, call_site()); }

 private:
  int axis_;
};

/// The first half along `axis` times the sigmoid of the second.
class GLU final : public Module {
 public:
  explicit GLU(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override { return glu(x, axis_, call_site()); }

 private:
  int axis_;
};

/// x - log of the sum of exp(x) over `axis`.
class LogSoftmax final : public Module {
 public:
  explicit LogSoftmax(int axis = -1) : axis_(axis) {}

  Tensor forward(const Tensor& x) override { return log_softmax(x, axis_, call_site()); }

 private:
  int axis_;
};

/// All axes from `start` on become one: x f32[n, ...] gives f32[n, k].
class Flatten final : public Module {
 public:
  explicit Flatten(int start = 1) : start_(start) {}

  Tensor forward(const Tensor& x) override { return flatten(x, start_, -1, call_site()); }

 private:
  int start_;
};

}  // namespace wick::nn
