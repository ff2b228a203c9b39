#include <algorithm>

#include <fmt/format.h>

#include "wick/tensor/recording.h"

namespace wick {

using detail::HistoryPause;
using detail::record_binary;
using detail::record_unary;
using ir::OpKind;

namespace {

Tensor reduce(OpKind op, const Tensor& x, const Axes& axes, bool keepdims, Where where) {
  const Type& type = detail::node_of(op, x, 1, where)->type();
  ir::Attributes attributes{{"axes", detail::normalize_axes(op, axes, type, where)}};
  if (keepdims) attributes.set("keepdims", true);
  return record_unary(op, x, where, detail::share(std::move(attributes)));
}

/// Narrow integers would overflow: their sums and products are i64.
Tensor widen(OpKind op, const Tensor& x, Where where) {
  const DType dtype = detail::node_of(op, x, 1, where)->type().dtype;
  return is_float(dtype) ? x : cast(x, DType::i64, where);
}

Tensor truth(OpKind op, const Tensor& x, Where where) {
  const DType dtype = detail::node_of(op, x, 1, where)->type().dtype;
  return dtype == DType::bool_ ? x : cast(x, DType::bool_, where);
}

/// How many elements of x make one of the result.
int64_t reduced_count(OpKind op, const Tensor& x, const Axes& axes, Where where) {
  int64_t count = 1;
  for (const int64_t axis : detail::normalize_axes(op, axes, x.type(), where)) {
    count *= x.shape()[static_cast<int>(axis)];
  }
  return count;
}

void require_float(std::string_view op, const Tensor& x, Where where) {
  if (!x.defined()) throw Error(where, op, "operand 1 is an undefined tensor");
  if (is_float(x.dtype())) return;
  constexpr auto kText = "{} is no float; convert it first, with to(wick::DType::f32) for example";
  throw Error(where, op, fmt::format(kText, to_string(x.type())));
}

Tensor minus(const Tensor& a, const Tensor& b, Where where) {
  return record_binary(OpKind::sub, {a, where}, {b, where}, where);
}

/// The largest along the axes, kept, and a constant to autograd: results that subtract it do not
/// depend on its value, so it has no gradient.
Tensor peak(const Tensor& x, const Axes& axes, Where where) {
  const HistoryPause pause;
  return reduce(OpKind::reduce_max, x, axes, true, where);
}

/// As peak, with 0 for infinities: subtracting those would give inf - inf, and what is infinite
/// stays so without a shift.
Tensor finite_peak(const Tensor& x, const Axes& axes, Where where) {
  const Tensor largest = peak(x, axes, where);
  const HistoryPause pause;
  const Tensor gap = minus(largest, largest, where);
  const Tensor is_finite = record_binary(OpKind::eq, {gap, where}, {0, where}, where);
  return detail::record_where(is_finite, {largest, where}, {0, where}, where);
}

Tensor drop_axes(const Tensor& x, const Axes& sorted_axes, Where where) {
  std::vector<int64_t> extents;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (!std::ranges::binary_search(sorted_axes, axis)) extents.push_back(x.shape()[axis]);
  }
  return reshape(x, Shape(std::span<const int64_t>(extents)), where);
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
  require_float("mean", x, where);
  const int64_t count = reduced_count(OpKind::reduce_sum, x, axes, where);
  const Tensor total = sum(x, std::move(axes), keepdims, where);
  return record_binary(OpKind::div, {total, where}, {count, where}, where);
}

Tensor var(const Tensor& x, Axes axes, bool keepdims, int64_t correction, Where where) {
  require_float("var", x, where);
  const int64_t count = reduced_count(OpKind::reduce_sum, x, axes, where);
  const Tensor centered = minus(x, mean(x, axes, true, where), where);
  const Tensor total = sum(square(centered, where), std::move(axes), keepdims, where);
  const auto freedom = static_cast<double>(std::max<int64_t>(count - correction, 0));
  return record_binary(OpKind::div, {total, where}, {freedom, where}, where);
}

Tensor any(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_max, truth(OpKind::reduce_max, x, where), axes, keepdims, where);
}

Tensor all(const Tensor& x, Axes axes, bool keepdims, Where where) {
  return reduce(OpKind::reduce_min, truth(OpKind::reduce_min, x, where), axes, keepdims, where);
}

Tensor argmax(const Tensor& x, int axis, bool keepdims, Where where) {
  return reduce(OpKind::argmax, x, {axis}, keepdims, where);
}

Tensor argmin(const Tensor& x, int axis, bool keepdims, Where where) {
  // Of the values in opposite order; the complement, unlike the negative, has no overflow.
  const DType dtype = detail::node_of(OpKind::argmax, x, 1, where)->type().dtype;
  const auto flipped = [&] {
    if (is_float(dtype)) return detail::record_unary(OpKind::neg, x, where);
    if (dtype == DType::bool_) return detail::record_unary(OpKind::logical_not, x, where);
    const int64_t all_bits = dtype == DType::u8 ? 255 : -1;
    return record_binary(OpKind::bit_xor, {x, where}, {all_bits, where}, where);
  };
  return argmax(flipped(), axis, keepdims, where);
}

Tensor softmax(const Tensor& x, int axis, Where where) {
  require_float("softmax", x, where);
  if (reduced_count(OpKind::reduce_max, x, {axis}, where) == 0) return x;  // nothing to normalize
  const Tensor weight = exp(minus(x, peak(x, {axis}, where), where), where);
  const Tensor total = sum(weight, {axis}, true, where);
  return record_binary(OpKind::div, {weight, where}, {total, where}, where);
}

Tensor log_softmax(const Tensor& x, int axis, Where where) {
  require_float("log_softmax", x, where);
  if (reduced_count(OpKind::reduce_max, x, {axis}, where) == 0) return x;
  const Tensor shifted = minus(x, peak(x, {axis}, where), where);
  const Tensor total = sum(exp(shifted, where), {axis}, true, where);
  return minus(shifted, log(total, where), where);
}

Tensor logsumexp(const Tensor& x, Axes axes, bool keepdims, Where where) {
  require_float("logsumexp", x, where);
  if (reduced_count(OpKind::reduce_max, x, axes, where) == 0) {
    return log(sum(x, std::move(axes), keepdims, where), where);
  }
  const Tensor shift = finite_peak(x, axes, where);
  const Tensor total = sum(exp(minus(x, shift, where), where), axes, true, where);
  const Tensor kept = record_binary(OpKind::add, {log(total, where), where}, {shift, where}, where);
  if (keepdims) return kept;
  return drop_axes(kept, detail::normalize_axes(OpKind::reduce_sum, axes, x.type(), where), where);
}

}  // namespace wick
