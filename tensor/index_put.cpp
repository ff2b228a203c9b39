#include <algorithm>
#include <cstdlib>

#include "wick/tensor/index_region.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::AxisRange;
using detail::IndexRegion;
using ir::OpKind;

namespace {

/// `value` as it stands in x's axes: stretched to the view, the dropped axes back, in rising order.
Tensor spread_over(const IndexRegion& region, const Tensor& value, Where where) {
  Axes counts;
  for (const AxisRange& range : region.ranges)
    counts.push_back(range.count);
  Tensor part = reshape(broadcast_to(value, Shape(region.view), where), Shape(counts), where);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (region.ranges[i].step > 0) continue;
    part = detail::slice_range(part, static_cast<int>(i), {counts[i] - 1, counts[i], -1}, where);
  }
  return part;
}

/// The part in a tensor of x's shape, `fill` around it.
Tensor embed(const IndexRegion& region, const Tensor& part, const Shape& shape, Where where) {
  Axes low;
  Axes high;
  Axes interior;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const auto& [start, count, step] = region.ranges[static_cast<size_t>(axis)];
    const int64_t end = start + (count - 1) * step;
    low.push_back(std::min(start, end));
    high.push_back(shape[axis] - 1 - std::max(start, end));
    interior.push_back(count > 1 ? std::abs(step) - 1 : 0);
  }
  const Ref<detail::Node> operands[] = {part.node(),
                                        detail::shared_constant(part.dtype(), int64_t{0})};
  return detail::record_nodes(OpKind::pad,
                              operands,
                              detail::share({{"high", high}, {"interior", interior}, {"low", low}}),
                              where);
}

/// x with the part that the region's ranges name replaced, or added to.
Tensor put_part(
    const Tensor& x, const IndexRegion& region, const Tensor& value, bool accumulate, Where where) {
  const Tensor part = spread_over(region, value, where);
  if (part.numel() == 0) return x;
  const bool is_all = region.is_all_of(x.shape());
  const Tensor whole = is_all ? part : embed(region, part, x.shape(), where);
  if (accumulate) return detail::record_binary(OpKind::add, {x, where}, {whole, where}, where);
  if (is_all) return whole;
  const Tensor chosen = embed(region, ones(part.shape(), DType::bool_, where), x.shape(), where);
  return detail::record_where(chosen, {whole, where}, {x, where}, where);
}

}  // namespace

Tensor index_put(const Tensor& x, const Indices& indices, const Operand& value, bool accumulate) {
  const Where& where = indices.where();
  const IndexRegion region = detail::index_region(x, indices);
  const Tensor operand = detail::operand_as("index_put", value, x.dtype(), where);
  if (region.positions.empty()) return put_part(x, region, operand, accumulate, where);
  const Tensor view = detail::view_of(x, region, where);
  const Tensor changed = detail::put_at(
      view, region.positions, operand, accumulate ? ScatterMode::add : ScatterMode::set, where);
  return put_part(x, region, changed, /*accumulate=*/false, where);
}

}  // namespace wick
