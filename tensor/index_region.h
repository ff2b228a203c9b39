#pragma once

// What the indices of x[...] say about x. Internal.

#include <vector>

#include "wick/tensor/axis_range.h"
#include "wick/tensor/index_positions.h"
#include "wick/tensor/indexing.h"

namespace wick::detail {

/// First a range of each axis, then a view of that part, then positions along axes of the view.
struct IndexRegion {
  std::vector<AxisRange> ranges;         // one an axis of x
  Axes view;                             // extents of the part, without dropped and with new axes
  std::vector<AxisPositions> positions;  // by rising axis of the view

  [[nodiscard]] bool is_all_of(const Shape& shape) const;
};

/// Error, named after `index`, for indices that do not fit x.
IndexRegion index_region(const Tensor& x, const Indices& indices);

/// The part of x that the ranges name, in the extents of the view.
Tensor view_of(const Tensor& x, const IndexRegion& region, Where where);

}  // namespace wick::detail
