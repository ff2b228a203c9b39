// Bool masks.

#include "wick/tensor/index_positions.h"
#include "wick/tensor/op_arguments.h"
#include "wick/tensor/ops_shape.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::require_mask;
using detail::type_of;

Tensor masked_select(const Tensor& x, const Tensor& mask, Where where) {
  require_mask("masked_select", mask, where);
  type_of("masked_select", x, where);
  const Tensor operands[] = {x, mask};
  const std::vector<Tensor> wide = broadcast_tensors(operands, where);
  const Tensor positions = detail::true_positions(wide[1], where);
  return take(flatten(wide[0], 0, -1, where), positions, 0, where);
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source, Where where) {
  constexpr auto kOp = "masked_scatter";
  require_mask(kOp, mask, where);
  const Type& type = type_of(kOp, x, where);
  const Tensor picks = broadcast_to(mask, type.shape, where);
  const Tensor values = detail::operand_as(kOp, {source, where}, type.dtype, where);
  if (values.numel() == 0) return x;
  const Tensor at = reshape(detail::true_ordinals(picks, where), type.shape, where);
  const Tensor spread = take(flatten(values, 0, -1, where), at, 0, where);
  return detail::record_where(picks, {spread, where}, {x, where}, where);
}

}  // namespace wick
