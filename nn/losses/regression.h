#pragma once

// Losses of predicted numbers. Prediction and target have one shape (an Error otherwise:
// broadcasting here is always a bug); gradients flow to both. Half types compute in f32.

#include "wick/nn/losses/reduction.h"

namespace wick::nn {

/// (prediction - target)^2.
Tensor mse_loss(const Tensor& prediction,
                const Tensor& target,
                Reduction reduction = Reduction::mean,
                Where where = Where::current());

/// |prediction - target|; the gradient at 0 is 0.
Tensor l1_loss(const Tensor& prediction,
               const Tensor& target,
               Reduction reduction = Reduction::mean,
               Where where = Where::current());

struct SmoothL1Options {
  double beta = 1;
  Reduction reduction = Reduction::mean;
};

/// d^2 / (2 beta) where |d| < beta, |d| - beta/2 elsewhere, d = prediction - target (Girshick,
/// 2015). beta = 0 is l1_loss. Error if beta < 0.
Tensor smooth_l1_loss(const Tensor& prediction,
                      const Tensor& target,
                      const SmoothL1Options& options = {},
                      Where where = Where::current());

struct HuberOptions {
  double delta = 1;
  Reduction reduction = Reduction::mean;
};

/// d^2 / 2 where |d| <= delta, delta (|d| - delta/2) elsewhere (Huber, 1964). Error unless delta >
/// 0.
Tensor huber_loss(const Tensor& prediction,
                  const Tensor& target,
                  const HuberOptions& options = {},
                  Where where = Where::current());

struct PoissonNllOptions {
  /// The prediction is the logarithm of the rate.
  bool log_input = true;
  /// Adds Stirling's approximation of log(target!) where target > 1.
  bool full = false;
  /// Keeps the logarithm of a rate of 0 finite.
  double eps = 1e-8;
  Reduction reduction = Reduction::mean;
};

/// exp(x) - target x, or x - target log(x + eps) for rates x: the negative log likelihood of
/// counts.
Tensor poisson_nll_loss(const Tensor& prediction,
                        const Tensor& target,
                        const PoissonNllOptions& options = {},
                        Where where = Where::current());

struct GaussianNllOptions {
  /// Adds the constant log(2 pi) / 2.
  bool full = false;
  /// Variances below count as eps; their gradient flows on.
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
};

/// (log v + (prediction - target)^2 / v) / 2, v = max(variance, eps) (Nix and Weigend, 1994).
/// The variance broadcasts to the prediction.
Tensor gaussian_nll_loss(const Tensor& prediction,
                         const Tensor& target,
                         const Tensor& variance,
                         const GaussianNllOptions& options = {},
                         Where where = Where::current());

}  // namespace wick::nn
