#pragma once

// The windows that pools slide over the last axes of a tensor. Internal.

#include <string>
#include <vector>

#include "wick/tensor/ops_pool.h"

namespace wick::detail {

/// The windows over one axis.
struct PoolAxis {
  int64_t extent = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  int64_t count = 0;

  /// Elements beyond the padding that the last window reaches, in ceil_mode.
  [[nodiscard]] int64_t overhang() const {
    const int64_t end = (count - 1) * stride + dilation * (kernel - 1) + 1;
    return end > extent + 2 * padding ? end - extent - 2 * padding : 0;
  }
};

/// One for each pooled axis. Where it is called from, and which op errors name.
struct PoolPlace {
  std::string op;
  Where where;

  [[noreturn]] void fail(const std::string& text) const { throw Error(where, op, text); }
};

struct PoolNumbers {
  const Axes& kernel;
  const Axes& stride;  // empty: kernel
  const Axes& padding;
  const Axes& dilation;
  bool ceil_mode = false;
};

/// The windows over the last `num_axes` axes of x; Error unless the numbers make sense for it.
std::vector<PoolAxis> pool_axes(const PoolPlace& place,
                                const Tensor& x,
                                int num_axes,
                                const PoolNumbers& numbers);

/// Error unless x is a float tensor of `num_axes` axes and one or two before them, and those that
/// are pooled have elements.
void require_pooled(const PoolPlace& place, const Tensor& x, int num_axes);

/// One number an axis, from one for all or one each.
Axes one_per_axis(const PoolPlace& place, std::string_view name, const Axes& given, int num_axes);

/// x as [planes, pooled axes...], and back.
Tensor to_planes(const Tensor& x, int num_axes, Where where);
Tensor from_planes(const Tensor& y, const Tensor& x, int num_axes, Where where);

/// Positions along one axis of the elements of each window, [windows][kernel]. Windows with fewer
/// elements name their last one again, which moves no maximum.
using WindowTable = std::vector<std::vector<int64_t>>;

WindowTable window_table(const PoolAxis& axis);
/// Of adaptive pools.
WindowTable adaptive_table(int64_t extent, int64_t count);

/// The first largest element, or NaN, of the windows that are the products of the tables' rows.
IndexedPool max_of_windows(const Tensor& x, const std::vector<WindowTable>& tables, Where where);

}  // namespace wick::detail
