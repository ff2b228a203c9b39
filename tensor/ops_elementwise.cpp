#include <cmath>

#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using detail::record_unary;
using ir::OpKind;

Tensor abs(const Tensor& x, Where where) {
  return record_unary(OpKind::abs, x, where);
}

Tensor sign(const Tensor& x, Where where) {
  // A zero and NaN stay.
  const Tensor falls = record_binary(OpKind::lt, {x, where}, {0, where}, where);
  const Tensor rises = record_binary(OpKind::lt, {0, where}, {x, where}, where);
  if (!is_float(x.dtype()) && !is_signed_integer(x.dtype())) return cast(rises, x.dtype(), where);
  const Tensor upper = detail::record_where(rises, {1, where}, {x, where}, where);
  return detail::record_where(falls, {-1, where}, {upper, where}, where);
}

Tensor floor(const Tensor& x, Where where) {
  return record_unary(OpKind::floor, x, where);
}

Tensor ceil(const Tensor& x, Where where) {
  const Tensor below = floor(record_unary(OpKind::neg, x, where), where);
  return record_unary(OpKind::neg, below, where);
}

Tensor round(const Tensor& x, Where where) {
  return record_unary(OpKind::round, x, where);
}

Tensor exp(const Tensor& x, Where where) {
  return record_unary(OpKind::exp, x, where);
}

Tensor log(const Tensor& x, Where where) {
  return record_unary(OpKind::log, x, where);
}

Tensor sqrt(const Tensor& x, Where where) {
  return record_unary(OpKind::sqrt, x, where);
}

Tensor rsqrt(const Tensor& x, Where where) {
  return record_binary(OpKind::div, {1, where}, {sqrt(x, where), where}, where);
}

Tensor sin(const Tensor& x, Where where) {
  return record_unary(OpKind::sin, x, where);
}

Tensor cos(const Tensor& x, Where where) {
  return record_unary(OpKind::cos, x, where);
}

Tensor atan(const Tensor& x, Where where) {
  return record_unary(OpKind::atan, x, where);
}

Tensor tanh(const Tensor& x, Where where) {
  return record_unary(OpKind::tanh, x, where);
}

Tensor erf(const Tensor& x, Where where) {
  return record_unary(OpKind::erf, x, where);
}

Tensor sigmoid(const Tensor& x, Where where) {
  return record_unary(OpKind::sigmoid, x, where);
}

Tensor square(const Tensor& x, Where where) {
  return record_binary(OpKind::mul, {x, where}, {x, where}, where);
}

Tensor pow(const Tensor& x, const Operand& exponent, Where where) {
  return record_binary(OpKind::pow, {x, where}, exponent, where);
}

Tensor maximum(const Operand& a, const Operand& b) {
  return record_binary(OpKind::maximum, a, b, a.where);
}

Tensor minimum(const Operand& a, const Operand& b) {
  return record_binary(OpKind::minimum, a, b, a.where);
}

Tensor clamp(const Tensor& x, double low, double high, Where where) {
  const Tensor raised =
      record_binary(OpKind::maximum, {x, where}, detail::number_beside(x, low, where), where);
  return record_binary(
      OpKind::minimum, {raised, where}, detail::number_beside(x, high, where), where);
}

Tensor where(const Tensor& condition, const Operand& y, const Operand& z) {
  return detail::record_where(condition, y, z, y.where);
}

Tensor isnan(const Tensor& x, Where where) {
  return record_binary(OpKind::ne, {x, where}, {x, where}, where);
}

Tensor relu(const Tensor& x, Where where) {
  // NaN compares false and stays.
  const Tensor negative = record_binary(OpKind::le, {x, where}, {0, where}, where);
  return detail::record_where(negative, {0, where}, {x, where}, where);
}

Tensor gelu(const Tensor& x, Where where) {
  const auto product = [where](const Tensor& a, const Operand& b) {
    return record_binary(OpKind::mul, {a, where}, b, where);
  };
  const Tensor bell = erf(product(x, {std::sqrt(0.5), where}), where);
  const Tensor phi =
      product(record_binary(OpKind::add, {bell, where}, {1, where}, where), {0.5, where});
  return product(x, {phi, where});
}

Tensor silu(const Tensor& x, Where where) {
  const Tensor gate = sigmoid(x, where);
  return record_binary(OpKind::mul, {x, where}, {gate, where}, where);
}

Tensor cast(const Tensor& x, DType dtype, Where where) {
  if (detail::node_of(OpKind::cast, x, 1, where)->type().dtype == dtype) return x;
  return record_unary(OpKind::cast, x, where, detail::share({{"dtype", dtype}}));
}

Tensor bitcast(const Tensor& x, DType dtype, Where where) {
  return record_unary(OpKind::bitcast, x, where, detail::share({{"dtype", dtype}}));
}

}  // namespace wick
