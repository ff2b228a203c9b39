#pragma once

// Losses that ask for a margin between scores, distances or angles. All hinges max(x, 0) have the
// gradient 1 at 0. Half types compute in f32.

#include "wick/nn/losses/reduction.h"

namespace wick::nn {

struct MarginOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};

/// max(-y (a - b) + margin, 0) for y = 1 where a should be the larger, -1 where b should.
Tensor margin_ranking_loss(const Tensor& a,
                           const Tensor& b,
                           const Tensor& y,
                           const MarginOptions& options = {},
                           Where where = Where::current());

/// x where y = 1, max(margin - x, 0) where y = -1, for distances x.
Tensor hinge_embedding_loss(const Tensor& x,
                            const Tensor& y,
                            const MarginOptions& options = {.margin = 1},
                            Where where = Where::current());

/// 1 - cos(a, b) where y = 1, max(cos(a, b) - margin, 0) where y = -1: a and b f32[n, c], y [n], or
/// f32[c] and a scalar.
Tensor cosine_embedding_loss(const Tensor& a,
                             const Tensor& b,
                             const Tensor& y,
                             const MarginOptions& options = {},
                             Where where = Where::current());

/// log(1 + exp(-y x)) for y = 1 or -1.
Tensor soft_margin_loss(const Tensor& x,
                        const Tensor& y,
                        Reduction reduction = Reduction::mean,
                        Where where = Where::current());

struct MultiMarginOptions {
  double margin = 1;
  /// 1 or 2.
  int p = 1;
  /// One factor a class; undefined: all 1.
  Tensor weight = {};
  Reduction reduction = Reduction::mean;
};

/// The sum over classes j other than the label y of max(margin - x[y] + x[j], 0)^p, times
/// weight[y], over the number of classes: x f32[n, c] with labels [n], or f32[c] with one label.
Tensor multi_margin_loss(const Tensor& x,
                         const Tensor& labels,
                         const MultiMarginOptions& options = {},
                         Where where = Where::current());

struct TripletMarginOptions {
  double margin = 1;
  /// Of the norm that measures distances.
  double p = 2;
  double eps = 1e-6;
  /// Also looks at the distance of the positive from the negative (Balntas et al., 2016).
  bool swap = false;
  Reduction reduction = Reduction::mean;
};

/// max(d(anchor, positive) - d(anchor, negative) + margin, 0) with the distance of
/// pairwise_distance over the last axis.
Tensor triplet_margin_loss(const Tensor& anchor,
                           const Tensor& positive,
                           const Tensor& negative,
                           const TripletMarginOptions& options = {},
                           Where where = Where::current());

}  // namespace wick::nn
