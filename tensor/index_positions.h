#pragma once

// Reading and writing through index tensors and masks, as x[...] does. Internal.

#include <vector>

#include "wick/tensor/ops_index.h"

namespace wick::detail {

/// An index tensor at an axis, which is not negative: integers are positions, negative ones counted
/// from the end; a mask of any rank has as many elements as the axis.
struct AxisPositions {
  int axis = 0;
  Tensor positions;
};

/// One position for each true element of the mask, in row-major order; materializes it.
Tensor true_positions(const Tensor& mask, Where where);

/// Without materializing, in row-major order: which of the true elements each of them is.
Tensor true_ordinals(const Tensor& mask, Where where);

/// Integer positions with negative ones counted from the end, as i64 unless they are i32.
Tensor wrap_positions(const Tensor& positions, int64_t extent, Where where);

/// The op scatter: x with the updates' slices along `axis` put at the indices, or their elements
/// at the indices beside them, if `along`.
Tensor record_scatter(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& updates,
                      ScatterMode mode,
                      bool along,
                      Where where);

/// Of slices.
Tensor scatter_slices(const Tensor& x,
                      int axis,
                      const Tensor& indices,
                      const Tensor& updates,
                      ScatterMode mode,
                      Where where);

/// x at all positions together; axes rise. The common shape of the positions takes the place of
/// their axes where these are neighbours, else it comes first.
Tensor read_at(const Tensor& x, const std::vector<AxisPositions>& positions, Where where);

/// x with `value`, broadcast to the shape of read_at, put there.
Tensor put_at(const Tensor& x,
              const std::vector<AxisPositions>& positions,
              const Tensor& value,
              ScatterMode mode,
              Where where);

}  // namespace wick::detail
