#include <fmt/format.h>

#include "wick/tensor/promotion.h"
#include "wick/tensor/recording.h"

namespace wick {

using detail::node_of;
using detail::record_nodes;
using detail::record_unary;
using detail::share;
using ir::OpKind;

namespace {

void require_pair(OpKind op, std::string_view name, const Axes& values, Where where) {
  if (values.size() == 2) return;
  constexpr auto kText = "{} needs two numbers, one for rows and one for columns, not {}";
  throw Error(where, to_string(op), fmt::format(kText, name, values.size()));
}

ir::Attributes pool_attributes(OpKind op, const Pool2dOptions& options, Where where) {
  const Axes& stride = options.stride.empty() ? options.kernel : options.stride;
  require_pair(op, "kernel", options.kernel, where);
  require_pair(op, "stride", stride, where);
  require_pair(op, "padding", options.padding, where);
  return {{"kernel", options.kernel}, {"padding", options.padding}, {"stride", stride}};
}

}  // namespace

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

Tensor conv2d(const Tensor& x, const Tensor& w, const Conv2dOptions& options, Where where) {
  require_pair(OpKind::conv, "stride", options.stride, where);
  require_pair(OpKind::conv, "padding", options.padding, where);
  require_pair(OpKind::conv, "dilation", options.dilation, where);
  const Ref<detail::Node> operands[] = {node_of(OpKind::conv, x, 1, where),
                                        node_of(OpKind::conv, w, 2, where)};
  return record_nodes(OpKind::conv,
                      operands,
                      share({{"dilation", options.dilation},
                             {"groups", options.groups},
                             {"padding", options.padding},
                             {"stride", options.stride}}),
                      where);
}

Tensor max_pool2d(const Tensor& x, const Pool2dOptions& options, Where where) {
  ir::Attributes attributes = pool_attributes(OpKind::max_pool2d, options, where);
  return record_unary(OpKind::max_pool2d, x, where, share(std::move(attributes)));
}

Tensor avg_pool2d(const Tensor& x, const Pool2dOptions& options, Where where) {
  ir::Attributes attributes = pool_attributes(OpKind::avg_pool2d, options, where);
  if (options.exclude_padding) attributes.set("exclude_padding", true);
  return record_unary(OpKind::avg_pool2d, x, where, share(std::move(attributes)));
}

}  // namespace wick
