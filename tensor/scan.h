#pragma once

// The op scan, and the positions that go with it. Internal.

#include "wick/tensor/ops.h"

namespace wick::detail {

/// The scan of a kind (see ir/ops.def) from the first element of the axis on.
Tensor scan(const Tensor& x, int axis, const char* kind, Where where);

/// i64: each element's position along the axis.
Tensor positions_along(const Shape& shape, int axis, Where where);

}  // namespace wick::detail
