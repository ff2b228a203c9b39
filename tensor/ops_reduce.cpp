#include <algorithm>
#include <string_view>

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::record_binary;
using detail::record_unary;
using detail::Term;
using ir::OpKind;

namespace {

Tensor reduce(OpKind op, const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const Type& type = detail::node_of(op, x, 1, where)->type();
  const Axes reduced = detail::normalize_axes(op, axes, type, where);
  return record_unary(op,
                      x,
                      where,
                      keepdims ? detail::share({{"axes", reduced}, {"keepdims", true}})
                               : detail::share({{"axes", reduced}}));
}

/// Narrow integers would overflow: their sums and products are i64.
Tensor widen(OpKind op, const Tensor& x, Where where) {
  const DType dtype = detail::node_of(op, x, 1, where)->type().dtype;
  return is_float(dtype) ? x : cast(x, DType::i64, where);
}

Tensor truth(std::string_view op, const Tensor& x, Where where) {
  const DType dtype = detail::term_of(op, x, where).dtype();
  return dtype == DType::bool_ ? x : cast(x, DType::bool_, where);
}

/// How many elements of x make one of the result.
int64_t reduced_count(std::string_view op, const Tensor& x, const Axes& axes, Where where) {
  int64_t count = 1;
  for (const int64_t axis : detail::reduced_axes(op, axes, x.type(), where)) {
    count *= x.shape()[static_cast<int>(axis)];
  }
  return count;
}

/// f(x) of floats: integers and bools are f32, half types are computed in f32 and rounded once.
template <typename Formula>
Tensor of_floats(std::string_view op, const Tensor& x, Where where, Formula formula) {
  const auto in_terms = [&](const Term& y) { return Term{formula(y.tensor), where}; };
  return at_least_f32(detail::float_term_of(op, x, where), in_terms).tensor;
}

Tensor minus(const Tensor& a, const Tensor& b, Where where) {
  return record_binary(OpKind::sub, {a, where}, {b, where}, where);
}

/// Of no elements, which have no extreme to be looked for.
Tensor truth_of_nothing(const Tensor& x, const Axes& axes, bool keepdims, bool value, Where where) {
  const Tensor counts = wick::sum(x, axes, keepdims, where);  // zeros of the result's shape
  return record_binary(value ? OpKind::eq : OpKind::ne, {counts, where}, {0, where}, where);
}

/// Whether the extreme of truth values, for "all" true and for "any" false where there are none.
Tensor quantified(
    std::string_view op, const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const bool is_all = op == "all";
  const Tensor values = truth(op, x, where);
  if (reduced_count(op, values, axes, where) == 0) {
    return truth_of_nothing(values, axes, keepdims, is_all, where);
  }
  return reduce(is_all ? OpKind::reduce_min : OpKind::reduce_max, values, axes, keepdims, where);
}

}  // namespace

Tensor sum(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_sum, widen(OpKind::reduce_sum, x, where), axes, keepdims, where);
}

Tensor prod(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_prod, widen(OpKind::reduce_prod, x, where), axes, keepdims, where);
}

Tensor max(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_max, x, axes, keepdims, where);
}

Tensor min(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_min, x, axes, keepdims, where);
}

Tensor mean(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return of_floats("mean", x, where, [&](const Tensor& y) {
    const int64_t count = reduced_count("mean", y, axes, where);
    const Tensor total = sum(y, axes, keepdims, where);
    return record_binary(OpKind::div, {total, where}, {count, where}, where);
  });
}

Tensor var(const Tensor& x, Axes axes, bool keepdims, int64_t correction, Where where) {
  return of_floats("var", x, where, [&](const Tensor& y) {
    const int64_t count = reduced_count("var", y, axes, where);
    const Tensor centered = minus(y, mean(y, axes, true, where), where);
    const Tensor total = sum(square(centered, where), axes, keepdims, where);
    const auto freedom = static_cast<double>(std::max<int64_t>(count - correction, 0));
    return record_binary(OpKind::div, {total, where}, {freedom, where}, where);
  });
}

Tensor any(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return quantified("any", x, axes, keepdims, where);
}

Tensor all(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return quantified("all", x, axes, keepdims, where);
}

Tensor argmax(const Tensor& x, int axis, bool keepdims, Where where) {
  return reduce(OpKind::argmax, x, {axis}, keepdims, where);
}

Tensor argmin(const Tensor& x, int axis, bool keepdims, Where where) {
  // Of the values in opposite order; the complement, unlike the negative, has no overflow.
  const DType dtype = detail::term_of("argmin", x, where).dtype();
  (void)reduced_count("argmin", x, {axis}, where);
  const auto flipped = [&] {
    if (is_float(dtype)) return detail::record_unary(OpKind::neg, x, where);
    if (dtype == DType::bool_) return detail::record_unary(OpKind::logical_not, x, where);
    const int64_t all_bits = dtype == DType::u8 ? 255 : -1;
    return record_binary(OpKind::bit_xor, {x, where}, {all_bits, where}, where);
  };
  return argmax(flipped(), axis, keepdims, where);
}

}  // namespace wick
