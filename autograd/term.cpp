#include "wick/autograd/term.h"

#include <vector>

#include "wick/tensor/ops.h"

namespace wick::autograd {
namespace {

using ir::OpKind;

Axes axes_of(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

bool all_equal(const Axes& values, int64_t value) {
  for (const int64_t v : values) {
    if (v != value) return false;
  }
  return true;
}

}  // namespace

Term apply(OpKind op, std::initializer_list<Term> operands, ir::Attributes attributes) {
  std::vector<Tensor> tensors;
  tensors.reserve(operands.size());
  for (const Term& term : operands)
    tensors.push_back(term.tensor);
  const auto where = operands.begin()->where;
  return {record(op, tensors, std::move(attributes), where), where};
}

Term equal(const Term& a, const Term& b) {
  return a == b;
}

Term equal(const Term& a, double b) {
  return a == b;
}

Term less(const Term& a, const Term& b) {
  return a < b;
}

Term greater_equal(const Term& a, double b) {
  return a >= b;
}

Term both(const Term& a, const Term& b) {
  return a & b;
}

Term sign(const Term& x) {
  return {wick::sign(x.tensor, x.where), x.where};
}

Term sum_keeping(const Term& x, const Axes& axes) {
  if (axes.empty()) return x;
  return apply(OpKind::reduce_sum, {x}, {{"axes", axes}, {"keepdims", true}});
}

Term reshape(const Term& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return apply(OpKind::reshape, {x}, {{"shape", axes_of(shape)}});
}

Term broadcast_to(const Term& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return apply(OpKind::broadcast, {x}, {{"shape", axes_of(shape)}});
}

Term permute(const Term& x, const Axes& axes) {
  return apply(OpKind::permute, {x}, {{"axes", axes}});
}

Term slice(const Term& x, SliceBounds bounds) {
  if (bounds.sizes == axes_of(x.shape()) && all_equal(bounds.steps, 1)) return x;
  return apply(OpKind::slice,
               {x},
               {{"starts", std::move(bounds.starts)},
                {"sizes", std::move(bounds.sizes)},
                {"steps", std::move(bounds.steps)}});
}

Term pad(const Term& x, PadWidths widths, double value) {
  if (all_equal(widths.low, 0) && all_equal(widths.high, 0) && all_equal(widths.interior, 0)) {
    return x;
  }
  const Term fill = filled(Shape{}, value, x.dtype(), x.where);
  return apply(OpKind::pad,
               {x, fill},
               {{"low", std::move(widths.low)},
                {"high", std::move(widths.high)},
                {"interior", std::move(widths.interior)}});
}

Term sum_to(const Term& x, const Shape& shape) {
  const Shape& from = x.shape();
  if (from == shape) return x;
  const int added = from.ndim() - shape.ndim();
  Axes axes;
  for (int axis = 0; axis < from.ndim(); ++axis) {
    if (axis < added || (shape[axis - added] == 1 && from[axis] != 1)) axes.push_back(axis);
  }
  return reshape(sum_keeping(x, axes), shape);
}

Term filled(const Shape& shape, double value, DType dtype, std::source_location where) {
  if (value == 0) return {zeros(shape, dtype, where), where};
  if (value == 1) return {ones(shape, dtype, where), where};
  return {wick::full(shape, value, dtype, where), where};
}

}  // namespace wick::autograd
