#pragma once

// Reductions beyond those of wick/tensor/ops.h: spread, norms, distances, and sums that skip NaN.
// Axes as there: negative ones count from the end, an empty list means all. Where it says floats,
// integers and bools are taken as f32. Half types are computed in f32 and rounded once.

#include "wick/tensor/ops.h"
#include "wick/tensor/values_and_indices.h"

namespace wick {

struct SpreadOptions {
  Axes axes = {};
  bool keepdims = false;
  int64_t correction = 1;  // taken off the count: 1 for a sample, 0 for a population
};

/// sqrt(var) of floats; where it is 0, so is the gradient.
Tensor std(const Tensor& x, const SpreadOptions& options = {}, Where where = Where::current());

struct SpreadAndMean {
  Tensor spread;
  Tensor mean;
};

/// Variance and mean.
SpreadAndMean var_mean(const Tensor& x,
                       const SpreadOptions& options = {},
                       Where where = Where::current());
/// Standard deviation and mean.
SpreadAndMean std_mean(const Tensor& x,
                       const SpreadOptions& options = {},
                       Where where = Where::current());

/// (sum of |x|^p)^(1/p) of floats, also for p infinite (largest |x|), minus infinite (smallest |x|)
/// and 0 (number of nonzero elements). Gradients are 0 where x or the norm is 0; the extremes share
/// theirs evenly.
Tensor norm(const Tensor& x,
            double p = 2,
            const Axes& axes = {},
            bool keepdims = false,
            Where where = Where::current());
/// x over its norm along an axis, or over eps where that is larger.
Tensor normalize(const Tensor& x,
                 double p = 2,
                 int axis = 1,
                 double eps = 1e-12,
                 Where where = Where::current());
/// The sum of products over an axis, of operands that broadcast, over the product of their norms,
/// each at least eps.
Tensor cosine_similarity(const Tensor& a,
                         const Tensor& b,
                         int axis = 1,
                         double eps = 1e-8,
                         Where where = Where::current());
/// Norms of the differences of all rows: a f32[..., m, k] and b f32[..., n, k] give f32[..., m, n].
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2, Where where = Where::current());

/// max and min by PyTorch's names: of any dtype, equal extremes share the gradient evenly.
Tensor amax(const Tensor& x,
            const Axes& axes = {},
            bool keepdims = false,
            Where where = Where::current());
Tensor amin(const Tensor& x,
            const Axes& axes = {},
            bool keepdims = false,
            Where where = Where::current());
/// The largest less the smallest.
Tensor ptp(const Tensor& x,
           const Axes& axes = {},
           bool keepdims = false,
           Where where = Where::current());

/// The largest along an axis and where the first of its equals is; its gradient goes there alone.
ValuesAndIndices max_with_index(const Tensor& x,
                                int axis,
                                bool keepdims = false,
                                Where where = Where::current());
ValuesAndIndices min_with_index(const Tensor& x,
                                int axis,
                                bool keepdims = false,
                                Where where = Where::current());

/// Sum of what is not NaN.
Tensor nansum(const Tensor& x,
              const Axes& axes = {},
              bool keepdims = false,
              Where where = Where::current());
/// Mean of what is not NaN; NaN of nothing.
Tensor nanmean(const Tensor& x,
               const Axes& axes = {},
               bool keepdims = false,
               Where where = Where::current());
/// i64; NaN is not 0.
Tensor count_nonzero(const Tensor& x,
                     const Axes& axes = {},
                     bool keepdims = false,
                     Where where = Where::current());
/// The mean of x weighted by what broadcasts to it.
Tensor average(const Tensor& x,
               const Tensor& weights,
               const Axes& axes = {},
               bool keepdims = false,
               Where where = Where::current());

}  // namespace wick
