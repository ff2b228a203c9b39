#pragma once

// Losses over classes and probabilities. Half types compute in f32.

#include <cstdint>

#include "wick/nn/losses/reduction.h"

namespace wick::nn {

struct NllOptions {
  /// One factor a class, floats [c]; undefined: all 1.
  Tensor weight = {};
  /// Samples with this label do not count.
  int64_t ignore_index = -100;
  /// The mean is over the weights of the samples' classes.
  Reduction reduction = Reduction::mean;
};

/// -weight[label] * log_probs[label] of each sample: log_probs f32[n, c, ...] with integer labels
/// [n, ...], or f32[c] with one label. A label outside [0, c) does not count. Error if shapes or
/// dtypes do not fit.
Tensor nll_loss(const Tensor& log_probs,
                const Tensor& labels,
                const NllOptions& options = {},
                Where where = Where::current());

struct CrossEntropyOptions {
  /// One factor a class, floats [c]; undefined: all 1.
  Tensor weight = {};
  /// Samples with this label do not count.
  int64_t ignore_index = -100;
  /// The share of each target that is spread evenly over the classes (Szegedy et al., 2016).
  double label_smoothing = 0;
  /// With labels the mean is over the weights of the samples' classes, with probabilities over the
  /// samples.
  Reduction reduction = Reduction::mean;
};

/// -sum over the classes of target * weight * log_softmax(logits): logits f32[n, c, ...] or f32[c].
/// The target are probabilities of the same shape, or integer labels as those of nll_loss. Error if
/// shapes or dtypes do not fit, or unless 0 <= label_smoothing <= 1.
Tensor cross_entropy(const Tensor& logits,
                     const Tensor& target,
                     const CrossEntropyOptions& options = {},
                     Where where = Where::current());

struct BinaryCrossEntropyOptions {
  /// Factors that broadcast with the elements; undefined: all 1.
  Tensor weight = {};
  Reduction reduction = Reduction::mean;
};

/// -(target log p + (1 - target) log(1 - p)) for probabilities p of the target's shape, which are
/// not checked. Logarithms below -100 count as -100; the gradient divides by p (1 - p) or 1e-12.
Tensor binary_cross_entropy(const Tensor& probabilities,
                            const Tensor& target,
                            const BinaryCrossEntropyOptions& options = {},
                            Where where = Where::current());

struct LogitsOptions {
  /// Factors that broadcast with the elements; undefined: all 1.
  Tensor weight = {};
  /// Factors of the targets that are 1, broadcast with the elements; undefined: all 1.
  Tensor pos_weight = {};
  Reduction reduction = Reduction::mean;
};

/// binary_cross_entropy(sigmoid(logits), target), exact for large logits too.
Tensor binary_cross_entropy_with_logits(const Tensor& logits,
                                        const Tensor& target,
                                        const LogitsOptions& options = {},
                                        Where where = Where::current());

struct KlDivOptions {
  /// The target are logarithms of probabilities.
  bool log_target = false;
  /// The sum is divided by the extent of axis 0, as the definition has it, instead of reduced as
  /// `reduction` says.
  bool batch_mean = false;
  Reduction reduction = Reduction::mean;
};

/// target (log target - log_probs), 0 where the target is 0 (Kullback and Leibler, 1951). The
/// target broadcasts with log_probs.
Tensor kl_div(const Tensor& log_probs,
              const Tensor& target,
              const KlDivOptions& options = {},
              Where where = Where::current());

}  // namespace wick::nn
