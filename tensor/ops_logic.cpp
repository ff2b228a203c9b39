#include "wick/tensor/ops_logic.h"

#include "wick/tensor/op_arguments.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::float_terms_of;
using detail::record_binary;
using detail::Term;
using detail::term_of;
using detail::terms_of;
using ir::OpKind;

namespace {

Term truth(const Term& x) {
  return x.dtype() == DType::bool_ ? x : x != 0;
}

}  // namespace

Tensor eq(const Operand& a, const Operand& b) {
  return a == b;
}

Tensor ne(const Operand& a, const Operand& b) {
  return a != b;
}

Tensor lt(const Operand& a, const Operand& b) {
  return a < b;
}

Tensor le(const Operand& a, const Operand& b) {
  return a <= b;
}

Tensor gt(const Operand& a, const Operand& b) {
  return a > b;
}

Tensor ge(const Operand& a, const Operand& b) {
  return a >= b;
}

Tensor logical_and(const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of("logical_and", a, b);
  return (truth(x) & truth(y)).tensor;
}

Tensor logical_or(const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of("logical_or", a, b);
  return (truth(x) | truth(y)).tensor;
}

Tensor logical_xor(const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of("logical_xor", a, b);
  return (truth(x) ^ truth(y)).tensor;
}

Tensor logical_not(const Tensor& x, Where where) {
  return (!truth(term_of("logical_not", x, where))).tensor;
}

Tensor bitwise_and(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_and, a, b, a.where);
}

Tensor bitwise_or(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_or, a, b, a.where);
}

Tensor bitwise_xor(const Operand& a, const Operand& b) {
  return record_binary(OpKind::bit_xor, a, b, a.where);
}

Tensor bitwise_not(const Tensor& x, Where where) {
  const Term term = term_of("bitwise_not", x, where);
  if (term.dtype() == DType::bool_) return (!term).tensor;
  const int64_t all_bits = term.dtype() == DType::u8 ? 255 : -1;
  return record_binary(OpKind::bit_xor, {x, where}, {all_bits, where}, where);
}

Tensor bitwise_left_shift(const Operand& a, const Operand& b) {
  return record_binary(OpKind::shift_left, a, b, a.where);
}

Tensor bitwise_right_shift(const Operand& a, const Operand& b) {
  return record_binary(OpKind::shift_right, a, b, a.where);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Operand& value, Where where) {
  const Term term = term_of("masked_fill", x, where);
  detail::require_mask("masked_fill", mask, where);
  // The result has the dtype of x whatever the value's.
  const Tensor fill = value.tensor != nullptr
                          ? cast(*value.tensor, term.dtype(), where)
                          : Tensor(detail::number_node(
                                OpKind::where, detail::Number(value), term.tensor.type(), where));
  return detail::record_where(mask, {fill, where}, {x, where}, where);
}

Tensor isclose(const Operand& a, const Operand& b, const ClosenessOptions& options) {
  const auto [x, y] = float_terms_of("isclose", a, b);
  const Term near = abs(x - y) <= y.operand(options.atol) + abs(y) * y.operand(options.rtol);
  // An infinite difference is within the tolerance of an infinite b.
  const Term close = (x == y) | (near & isfinite(y));
  return (options.equal_nan ? close | ((x != x) & (y != y)) : close).tensor;
}

Tensor allclose(const Operand& a, const Operand& b, const ClosenessOptions& options) {
  return all(isclose(a, b, options), {}, false, a.where);
}

}  // namespace wick
