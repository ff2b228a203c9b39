#include "wick/tensor/promotion.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::node_of;
using detail::record_nodes;
using ir::OpKind;

Tensor matmul(const Tensor& a, const Tensor& b, Where where) {
  if (a.defined() && b.defined() && a.dtype() != b.dtype()) {
    const DType dtype = promote_types(a.dtype(), b.dtype());
    return matmul(cast(a, dtype, where), cast(b, dtype, where), where);
  }
  const bool a_is_vector = node_of(OpKind::matmul, a, 1, where)->type().shape.ndim() == 1;
  const bool b_is_vector = node_of(OpKind::matmul, b, 2, where)->type().shape.ndim() == 1;
  if (!a_is_vector && !b_is_vector) {
    const Ref<detail::Node> operands[] = {a.node(), b.node()};
    return record_nodes(OpKind::matmul, operands, nullptr, where);
  }
  const Tensor row = a_is_vector ? unsqueeze(a, 0, where) : a;
  const Tensor column = b_is_vector ? unsqueeze(b, 1, where) : b;
  const Ref<detail::Node> operands[] = {row.node(), column.node()};
  Tensor product = record_nodes(OpKind::matmul, operands, nullptr, where);
  if (b_is_vector) product = squeeze(product, -1, where);
  if (a_is_vector) product = squeeze(product, b_is_vector ? -1 : -2, where);
  return product;
}

}  // namespace wick
