#pragma once

// Elementwise activations, softmax and flatten as modules, to be put into a Sequential. Each is the
// function of the same name in wick/tensor/ops.h.

#include "wick/nn/module.h"

namespace wick::nn {

/// max(x, 0); NaN stays, the gradient at 0 is 0.
class ReLU final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return relu(x, call_site()); }
};

/// x Phi(x), Phi being the standard normal distribution function (Hendrycks and Gimpel, 2016).
class GELU final : public Module {
 public:
  Tensor forward(const Tensor& x) override { return gelu(x, call_site()); }
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
