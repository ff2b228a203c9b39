#pragma once

// Reading and writing at index tensors: PyTorch's gather and scatter family. Indices are i32 or
// i64. What is out of range is only known at run time: reads clamp, writes drop. x[...] is in
// wick/tensor/indexing.h.

#include "wick/tensor/ops.h"

namespace wick {

// Slice by slice along an axis: indices of one axis. (`take` with an axis, in ops.h, allows any
// rank.)

Tensor index_select(const Tensor& x,
                    int axis,
                    const Tensor& indices,
                    Where where = Where::current());
/// x with alpha times source's slices added to its own at the indices, all of them where an index
/// comes twice.
Tensor index_add(const Tensor& x,
                 int axis,
                 const Tensor& indices,
                 const Tensor& source,
                 const Operand& alpha = 1,
                 Where where = Where::current());
/// x with source's slices in place of its own at the indices; the last one wins.
Tensor index_copy(const Tensor& x,
                  int axis,
                  const Tensor& indices,
                  const Tensor& source,
                  Where where = Where::current());
Tensor index_fill(const Tensor& x,
                  int axis,
                  const Tensor& indices,
                  const Operand& value,
                  Where where = Where::current());

// Element by element along an axis.

/// x[..., indices[..., i, ...], ...]: the result has the shape of the indices, whose extents beside
/// `axis` are at most those of x.
Tensor gather(const Tensor& x, int axis, const Tensor& indices, Where where = Where::current());
/// As gather, x and indices broadcasting beside `axis`; negative indices count from the end.
Tensor take_along_axis(const Tensor& x,
                       const Tensor& indices,
                       int axis,
                       Where where = Where::current());

/// What becomes of an element and an update: `set` keeps the last update, which updates of the same
/// place before it then do not matter for; NaN wins a max or min.
enum class ScatterMode : uint8_t { set, add, mul, max, min };

/// x with its element [..., indices[..., i, ...], ...] and source[..., i, ...] combined, for each
/// element of the indices, whose extents are at most source's and, beside `axis`, x's. A number is
/// the source of all.
Tensor scatter(const Tensor& x,
               int axis,
               const Tensor& indices,
               const Operand& source,
               ScatterMode mode = ScatterMode::set,
               Where where = Where::current());
Tensor scatter_add(const Tensor& x,
                   int axis,
                   const Tensor& indices,
                   const Operand& source,
                   Where where = Where::current());

enum class ScatterReduction : uint8_t { sum, prod, mean, amax, amin };

/// As scatter, by a reduction. Without `include_self` the elements of x that get updates take no
/// part in it. Integer means round toward minus infinity.
Tensor scatter_reduce(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& source,
                      ScatterReduction reduction,
                      bool include_self = true,
                      Where where = Where::current());

// In the row-major order of x. Negative indices count from the end.

Tensor take(const Tensor& x, const Tensor& indices, Where where = Where::current());
/// x with its elements at the indices replaced by, or with `accumulate` added to, the values, which
/// broadcast to the shape of the indices.
Tensor put(const Tensor& x,
           const Tensor& indices,
           const Operand& values,
           bool accumulate = false,
           Where where = Where::current());

// Bool masks, which broadcast against x. (masked_fill is in ops_logic.h.)

/// The elements where the mask is true, in one axis whose size is only known at run time: it
/// materializes the mask.
Tensor masked_select(const Tensor& x, const Tensor& mask, Where where = Where::current());
/// x with its elements where the mask is true replaced by those of source, one after another;
/// source has enough of them, or the last one repeats.
Tensor masked_scatter(const Tensor& x,
                      const Tensor& mask,
                      const Tensor& source,
                      Where where = Where::current());

}  // namespace wick
