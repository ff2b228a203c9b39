#include <cmath>
#include <numbers>
#include <string_view>

#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::record_binary;
using detail::record_unary;
using detail::Term;
using ir::OpKind;

namespace {

/// An op of floats; integers and bools are f32.
Tensor record_float_unary(OpKind op, const Tensor& x, Where where) {
  const DType dtype = detail::node_of(op, x, 1, where)->type().dtype;
  return record_unary(op, is_float(dtype) ? x : cast(x, DType::f32, where), where);
}

/// An op that rounds; integers and bools stay.
Tensor record_rounding(OpKind op, const Tensor& x, Where where) {
  const DType dtype = detail::node_of(op, x, 1, where)->type().dtype;
  return is_float(dtype) ? record_unary(op, x, where) : x;
}

template <typename Formula>
Tensor of_floats(std::string_view name, const Tensor& x, Where where, Formula formula) {
  return at_least_f32(detail::float_term_of(name, x, where), formula).tensor;
}

/// base^n for n >= 0, by squaring; wraps.
Term whole_power(Term base, int64_t n) {
  Term result = base.literal(1);
  for (;; base = base * base) {
    if (n % 2 != 0) result = result * base;
    n /= 2;
    if (n == 0) return result;
  }
}

/// base^exponent of integers; wraps. 1 / base^-exponent rounded toward 0 for negative exponents,
/// and 0 where base is 0.
Term integer_power(Term base, const Term& exponent) {
  const bool is_unsigned = exponent.dtype() == DType::u8;
  const Term odd = exponent & exponent.literal(1);
  const Term sign = select((base == -1) & (odd != 0), base, 1);
  const Term fraction = select((base == 1) | (base == -1), sign, 0);
  const int bits = static_cast<int>(8 * size_of(exponent.dtype())) - (is_unsigned ? 0 : 1);
  Term result = base.literal(1);
  for (int bit = 0; bit < bits; ++bit) {
    const Term mask = exponent.literal(std::ldexp(1.0, bit));
    result = select((exponent & mask) != 0, result * base, result);
    base = base * base;
  }
  return is_unsigned ? result : select(exponent < 0, fraction, result);
}

bool is_whole_number(const Operand& operand) {
  return operand.tensor == nullptr && operand.is_integer && operand.integer >= 0;
}

}  // namespace

Tensor abs(const Tensor& x, Where where) {
  return record_unary(OpKind::abs, x, where);
}

Tensor sign(const Tensor& x, Where where) {
  // NaN neither falls nor rises.
  const Tensor falls = record_binary(OpKind::lt, {x, where}, {0, where}, where);
  const Tensor rises = record_binary(OpKind::lt, {0, where}, {x, where}, where);
  const Tensor up = cast(rises, x.dtype(), where);
  if (!is_float(x.dtype()) && !is_signed_integer(x.dtype())) return up;
  return detail::record_where(falls, {-1, where}, {up, where}, where);
}

Tensor floor(const Tensor& x, Where where) {
  return record_rounding(OpKind::floor, x, where);
}

Tensor ceil(const Tensor& x, Where where) {
  if (const Term term = detail::term_of("ceil", x, where); is_float(term.dtype())) {
    return (-floor(-term)).tensor;
  }
  return x;
}

Tensor round(const Tensor& x, Where where) {
  return record_rounding(OpKind::round, x, where);
}

Tensor exp(const Tensor& x, Where where) {
  return record_float_unary(OpKind::exp, x, where);
}

Tensor log(const Tensor& x, Where where) {
  return record_float_unary(OpKind::log, x, where);
}

Tensor sqrt(const Tensor& x, Where where) {
  return record_float_unary(OpKind::sqrt, x, where);
}

Tensor rsqrt(const Tensor& x, Where where) {
  return of_floats("rsqrt", x, where, [](const Term& y) { return 1 / sqrt(y); });
}

Tensor sin(const Tensor& x, Where where) {
  return record_float_unary(OpKind::sin, x, where);
}

Tensor cos(const Tensor& x, Where where) {
  return record_float_unary(OpKind::cos, x, where);
}

Tensor atan(const Tensor& x, Where where) {
  return record_float_unary(OpKind::atan, x, where);
}

Tensor tanh(const Tensor& x, Where where) {
  return record_float_unary(OpKind::tanh, x, where);
}

Tensor erf(const Tensor& x, Where where) {
  return record_float_unary(OpKind::erf, x, where);
}

Tensor sigmoid(const Tensor& x, Where where) {
  return record_float_unary(OpKind::sigmoid, x, where);
}

Tensor square(const Tensor& x, Where where) {
  return record_binary(OpKind::mul, {x, where}, {x, where}, where);
}

Tensor pow(const Tensor& x, const Operand& exponent, Where where) {
  if (detail::term_of("pow", x, where).dtype() != DType::bool_ && !is_float(x.dtype()) &&
      is_whole_number(exponent)) {
    return whole_power({x, where}, exponent.integer).tensor;
  }
  if (is_float(x.dtype())) return record_binary(OpKind::pow, {x, where}, exponent, where);
  const auto [base, power] = detail::terms_of("pow", {x, where}, exponent);
  if (is_float(base.dtype())) return pow(base, power).tensor;
  const bool logical = base.dtype() == DType::bool_;
  const DType dtype = logical ? DType::i64 : base.dtype();
  return integer_power(cast(base, dtype), cast(power, dtype)).tensor;
}

Tensor maximum(const Operand& a, const Operand& b) {
  return record_binary(OpKind::maximum, a, b, a.where);
}

Tensor minimum(const Operand& a, const Operand& b) {
  return record_binary(OpKind::minimum, a, b, a.where);
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
  return of_floats("gelu", x, where, [](const Term& y) {
    return y * ((erf(y * (std::numbers::sqrt2 / 2)) + 1) * 0.5);
  });
}

Tensor silu(const Tensor& x, Where where) {
  return of_floats("silu", x, where, [](const Term& y) { return y * sigmoid(y); });
}

Tensor cast(const Tensor& x, DType dtype, Where where) {
  if (detail::node_of(OpKind::cast, x, 1, where)->type().dtype == dtype) return x;
  return record_unary(OpKind::cast, x, where, detail::share({{"dtype", dtype}}));
}

Tensor bitcast(const Tensor& x, DType dtype, Where where) {
  return record_unary(OpKind::bitcast, x, where, detail::share({{"dtype", dtype}}));
}

}  // namespace wick
