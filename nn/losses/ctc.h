#pragma once

// Connectionist temporal classification (Graves et al., 2006).

#include <cstdint>

#include "wick/nn/losses/reduction.h"

namespace wick::nn {

struct CtcOptions {
  /// The class that stands for no label.
  int64_t blank = 0;
  /// Loss and gradient of a sequence that is too short for its labels are 0 instead of inf and 0.
  bool zero_infinity = false;
  /// The mean is over the sequences' losses, each divided by its number of labels.
  Reduction reduction = Reduction::mean;
};

/// -log of the probability that a sequence of independent classes is, without blanks and repeats,
/// the labels: log_probs f32[t,n,c], or f32[t,c] for one sequence; labels integers [n,s], of which
/// the first label_lengths[i] count, or all labels one after another in one axis; the first
/// input_lengths[i] steps count. By the forward recursion over steps in logarithms. Error if
/// shapes, dtypes, lengths or blank do not fit.
Tensor ctc_loss(const Tensor& log_probs,
                const Tensor& labels,
                const Axes& input_lengths,
                const Axes& label_lengths,
                const CtcOptions& options = {},
                Where where = Where::current());

}  // namespace wick::nn
