#pragma once

// Sorting, order statistics and cumulative ops along an axis. NaN counts as the largest value in
// sorts and wins a maximum or minimum. A scalar is treated as a vector of one element.
//
// Values have gradients, which go to the elements that they are copies of.

#include "wick/tensor/ops.h"
#include "wick/tensor/values_and_indices.h"

namespace wick {

/// The stable order: equal elements keep theirs, also when `descending`.
ValuesAndIndices sort(const Tensor& x,
                      int axis = -1,
                      bool descending = false,
                      Where where = Where::current());
Tensor argsort(const Tensor& x,
               int axis = -1,
               bool descending = false,
               Where where = Where::current());
/// The k largest, the largest first, or the k smallest.
ValuesAndIndices topk(
    const Tensor& x, int64_t k, int axis = -1, bool largest = true, Where where = Where::current());
/// The k-th smallest, from 1 on.
ValuesAndIndices kthvalue(const Tensor& x,
                          int64_t k,
                          int axis = -1,
                          bool keepdims = false,
                          Where where = Where::current());
/// The lower of two middle elements, as in PyTorch; NaN if there is one.
ValuesAndIndices median(const Tensor& x,
                        int axis,
                        bool keepdims = false,
                        Where where = Where::current());
/// Of all elements.
Tensor median(const Tensor& x, Where where = Where::current());
/// As median, of the elements that are no NaN.
ValuesAndIndices nanmedian(const Tensor& x,
                           int axis,
                           bool keepdims = false,
                           Where where = Where::current());
Tensor nanmedian(const Tensor& x, Where where = Where::current());
/// What a quantile between two elements is: the point between them, one of them (`nearest`: the
/// even one of two as near), or their middle.
enum class QuantileRule : uint8_t { linear, lower, higher, nearest, midpoint };

/// The element of floats at q of the way from the smallest to the largest; NaN if there is one.
/// Integers and bools are taken as f32. Error unless q is in [0, 1].
Tensor quantile(const Tensor& x,
                double q,
                int axis,
                bool keepdims = false,
                QuantileRule rule = QuantileRule::linear,
                Where where = Where::current());
/// Of all elements.
Tensor quantile(const Tensor& x, double q, Where where = Where::current());
/// As quantile, of the elements that are no NaN.
Tensor nanquantile(const Tensor& x,
                   double q,
                   int axis,
                   bool keepdims = false,
                   QuantileRule rule = QuantileRule::linear,
                   Where where = Where::current());
Tensor nanquantile(const Tensor& x, double q, Where where = Where::current());
/// The most frequent value, the smallest of several, and its last position.
ValuesAndIndices mode(const Tensor& x,
                      int axis = -1,
                      bool keepdims = false,
                      Where where = Where::current());
// Of each element and all before it. Integer and bool sums and products are i64.

Tensor cumsum(const Tensor& x, int axis, Where where = Where::current());
/// The gradient is exact also where elements are 0.
Tensor cumprod(const Tensor& x, int axis, Where where = Where::current());
/// log of the cumulative sum of exp; stable.
Tensor logcumsumexp(const Tensor& x, int axis, Where where = Where::current());
/// With the positions of the last elements that equal them.
ValuesAndIndices cummax(const Tensor& x, int axis, Where where = Where::current());
ValuesAndIndices cummin(const Tensor& x, int axis, Where where = Where::current());

}  // namespace wick
