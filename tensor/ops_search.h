#pragma once

// Finding, counting and sets. Results whose size depends on values are only known at run time: the
// functions that have such ones say "materializes".

#include <optional>
#include <utility>
#include <vector>

#include "wick/tensor/ops.h"

namespace wick {

/// i64[n, rank]: the positions of the n elements that are not 0, in row-major order; materializes.
Tensor nonzero(const Tensor& x, Where where = Where::current());
/// One i64[n] an axis: the same, ready for x[{...}]; materializes.
std::vector<Tensor> where(const Tensor& condition, Where where = Where::current());
/// i64[n]: row-major positions; materializes.
Tensor flatnonzero(const Tensor& x, Where where = Where::current());

struct UniqueValues {
  Tensor values;
  Tensor inverse;  // i64, of x's shape: where in `values` each element is
  Tensor counts;   // i64: how often each value comes
  Tensor indices;  // i64: where it comes first, in the row-major order of x
};

/// The different elements, sorted; each NaN is one. Materializes.
UniqueValues unique(const Tensor& x, Where where = Where::current());
/// The different slices along an axis, sorted by their elements in row-major order. `inverse` and
/// `indices` are positions along the axis. Materializes.
UniqueValues unique(const Tensor& x, int axis, Where where = Where::current());
/// The first of each run of equal elements. Materializes.
UniqueValues unique_consecutive(const Tensor& x, Where where = Where::current());

/// Where each value would be inserted to keep `sorted` so: before equal elements, or after them if
/// `right`. i64. A vector sorted serves all values; otherwise all axes but the last are those of
/// the values.
Tensor searchsorted(const Tensor& sorted,
                    const Tensor& values,
                    bool right = false,
                    Where where = Where::current());
/// The same by PyTorch's other name: between which boundaries each value of x lies.
Tensor bucketize(const Tensor& x,
                 const Tensor& boundaries,
                 bool right = false,
                 Where where = Where::current());
/// bool: whether each element of x is one of those of `elements`.
Tensor isin(const Tensor& x, const Tensor& elements, Where where = Where::current());

/// How often each integer from 0 on comes in the vector x, which has no negative ones, or the sum
/// of its weights: at least `minimum` of them, as many as the largest asks for. Materializes.
Tensor bincount(const Tensor& x,
                const Tensor& weights = {},
                int64_t minimum = 0,
                Where where = Where::current());

struct Histogram {
  Tensor counts;  // i64
  Tensor edges;   // bins + 1, of x's dtype if that is a float, else f32
};

/// How many elements lie in each of equal bins, the last of which has both its ends. Without a
/// range they span x; elements out of range, and NaN, do not count.
Histogram histogram(const Tensor& x,
                    int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {},
                    Where where = Where::current());

}  // namespace wick
