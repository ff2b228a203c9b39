#include "wick/tensor/recording.h"

namespace wick {

using detail::record_binary;
using ir::OpKind;

namespace {

bool is_integral(const Operand& operand) {
  if (operand.tensor == nullptr) return operand.is_integer;
  return operand.tensor->defined() && !is_float(operand.tensor->dtype());
}

/// True division: of integers, too, it gives a float.
Tensor divide(const Operand& a, const Operand& b, Where where) {
  if (!is_integral(a) || !is_integral(b)) return record_binary(OpKind::div, a, b, where);
  const auto as_float = [where](const Operand& operand) {
    return operand.tensor == nullptr ? scalar(operand.real, DType::f32, where)
                                     : cast(*operand.tensor, DType::f32, where);
  };
  const Tensor x = as_float(a);
  const Tensor y = as_float(b);
  return record_binary(OpKind::div, {x, where}, {y, where}, where);
}

}  // namespace

Tensor operator+(const Operand& a, const Operand& b) {
  return record_binary(OpKind::add, a, b, a.where);
}

Tensor operator-(const Operand& a, const Operand& b) {
  return record_binary(OpKind::sub, a, b, a.where);
}

Tensor operator*(const Operand& a, const Operand& b) {
  return record_binary(OpKind::mul, a, b, a.where);
}

Tensor operator/(const Operand& a, const Operand& b) {
  return divide(a, b, a.where);
}

Tensor operator%(const Operand& a, const Operand& b) {
  return record_binary(OpKind::rem, a, b, a.where);
}

Tensor operator==(const Operand& a, const Operand& b) {
  return record_binary(OpKind::eq, a, b, a.where);
}

Tensor operator!=(const Operand& a, const Operand& b) {
  return record_binary(OpKind::ne, a, b, a.where);
}

Tensor operator<(const Operand& a, const Operand& b) {
  return record_binary(OpKind::lt, a, b, a.where);
}

Tensor operator<=(const Operand& a, const Operand& b) {
  return record_binary(OpKind::le, a, b, a.where);
}

Tensor operator>(const Operand& a, const Operand& b) {
  return record_binary(OpKind::lt, b, a, a.where);
}

Tensor operator>=(const Operand& a, const Operand& b) {
  return record_binary(OpKind::le, b, a, a.where);
}

Tensor operator&(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_and, a, b, a.where);
}

Tensor operator|(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_or, a, b, a.where);
}

Tensor operator^(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_xor, a, b, a.where);
}

Tensor operator-(const Operand& a) {
  return detail::record_unary(OpKind::neg, *a.tensor, a.where);
}

Tensor operator!(const Operand& a) {
  return detail::record_unary(OpKind::logical_not, *a.tensor, a.where);
}

Tensor& operator+=(Tensor& a, const Operand& b) {
  detail::record_update(OpKind::add, a, b);
  return a;
}

Tensor& operator-=(Tensor& a, const Operand& b) {
  detail::record_update(OpKind::sub, a, b);
  return a;
}

Tensor& operator*=(Tensor& a, const Operand& b) {
  detail::record_update(OpKind::mul, a, b);
  return a;
}

Tensor& operator/=(Tensor& a, const Operand& b) {
  a = divide(Operand(a, b.where), b, b.where);
  return a;
}

}  // namespace wick
