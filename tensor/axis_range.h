#pragma once

// Python's rules for a range along an axis. Internal.

#include <cstdint>
#include <optional>

#include "wick/tensor/ops.h"

namespace wick::detail {

/// Positions start + k * step of an axis, k < count; all of them exist.
struct AxisRange {
  int64_t start = 0;
  int64_t count = 0;
  int64_t step = 1;
};

/// Start, stop and step as Python reads them: negative bounds count from the end, bounds clamp,
/// absent ones mean the end where a walk in this direction begins or stops. Error for step 0.
AxisRange axis_range(std::string_view op,
                     int64_t extent,
                     std::optional<int64_t> start,
                     std::optional<int64_t> stop,
                     int64_t step,
                     Where where);

/// x within the range of one axis, which is not negative. A view where it can be (see slice).
Tensor slice_range(const Tensor& x, int axis, const AxisRange& range, Where where);

}  // namespace wick::detail
