#include "wick/tensor/term.h"

#include <limits>
#include <ranges>

#include <fmt/format.h>

#include "wick/tensor/promotion.h"
#include "wick/tensor/recording.h"

namespace wick::detail {

namespace {

using ir::OpKind;

Operand operand_of(const Term& term) {
  return {term.tensor, term.where};
}

Term as_term(const TermOrNumber& value, const Term& beside) {
  return value.term != nullptr ? *value.term : beside.literal(value.number);
}

Term binary(OpKind op, const Term& a, const Term& b) {
  return {record_binary(op, operand_of(a), operand_of(b), a.where), a.where};
}

Term binary(OpKind op, const Term& a, const TermOrNumber& b) {
  return binary(op, a, as_term(b, a));
}

/// a > b is b < a.
Term swapped(OpKind op, const Term& a, const TermOrNumber& b) {
  return binary(op, as_term(b, a), a);
}

Term unary(OpKind op, const Term& x) {
  return {record_unary(op, x.tensor, x.where), x.where};
}

}  // namespace

Term Term::operand(double number) const {
  return {scalar(number, dtype(), where), where};
}

Term Term::literal(double number) const {
  return {Tensor(constant_node(dtype(), number, where)), where};
}

Term operator-(const Term& a) {
  return unary(OpKind::neg, a);
}

Term operator+(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::add, a, b);
}

Term operator-(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::sub, a, b);
}

Term operator*(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::mul, a, b);
}

Term operator/(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::div, a, b);
}

Term operator+(double a, const Term& b) {
  return b + a;
}

Term operator-(double a, const Term& b) {
  return b.literal(a) - b;
}

Term operator*(double a, const Term& b) {
  return b * a;
}

Term operator/(double a, const Term& b) {
  return b.literal(a) / b;
}

Term operator==(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::eq, a, b);
}

Term operator!=(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::ne, a, b);
}

Term operator<(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::lt, a, b);
}

Term operator<=(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::le, a, b);
}

Term operator>(const Term& a, const TermOrNumber& b) {
  return swapped(OpKind::lt, a, b);
}

Term operator>=(const Term& a, const TermOrNumber& b) {
  return swapped(OpKind::le, a, b);
}

Term operator&(const Term& a, const Term& b) {
  return binary(OpKind::bit_and, a, b);
}

Term operator|(const Term& a, const Term& b) {
  return binary(OpKind::bit_or, a, b);
}

Term operator^(const Term& a, const Term& b) {
  return binary(OpKind::bit_xor, a, b);
}

Term operator!(const Term& a) {
  return unary(OpKind::logical_not, a);
}

Term select(const Term& condition, const Term& y, const TermOrNumber& z) {
  const Term other = as_term(z, y);
  return {record_where(condition.tensor, operand_of(y), operand_of(other), y.where), y.where};
}

Term select(const Term& condition, double y, const Term& z) {
  return select(condition, z.literal(y), z);
}

Term maximum(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::maximum, a, b);
}

Term minimum(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::minimum, a, b);
}

Term rem(const Term& a, const Term& b) {
  return binary(OpKind::rem, a, b);
}

Term pow(const Term& a, const TermOrNumber& b) {
  return binary(OpKind::pow, a, b);
}

Term fmod(const Term& a, const Term& b) {
  return with_sign_of(rem(abs(a), abs(b)), a);
}

Term trunc(const Term& x) {
  return select(x < 0, -floor(-x), floor(x));
}

Term abs(const Term& x) {
  return unary(OpKind::abs, x);
}

Term floor(const Term& x) {
  return unary(OpKind::floor, x);
}

Term round(const Term& x) {
  return unary(OpKind::round, x);
}

Term exp(const Term& x) {
  return unary(OpKind::exp, x);
}

Term log(const Term& x) {
  return unary(OpKind::log, x);
}

Term sqrt(const Term& x) {
  return unary(OpKind::sqrt, x);
}

Term sin(const Term& x) {
  return unary(OpKind::sin, x);
}

Term cos(const Term& x) {
  return unary(OpKind::cos, x);
}

Term atan(const Term& x) {
  return unary(OpKind::atan, x);
}

Term tanh(const Term& x) {
  return unary(OpKind::tanh, x);
}

Term erf(const Term& x) {
  return unary(OpKind::erf, x);
}

Term sigmoid(const Term& x) {
  return unary(OpKind::sigmoid, x);
}

Term cast(const Term& x, DType dtype) {
  return {wick::cast(x.tensor, dtype, x.where), x.where};
}

Term bitcast(const Term& x, DType dtype) {
  return {wick::bitcast(x.tensor, dtype, x.where), x.where};
}

Term polynomial(const Term& x, std::span<const double> coefficients) {
  Term sum = x.literal(coefficients.back());
  for (const double c : coefficients.first(coefficients.size() - 1) | std::views::reverse) {
    sum = sum * x + c;
  }
  return sum;
}

DType bits_dtype(DType dtype) {
  switch (size_of(dtype)) {
    case 2:
      return DType::i16;
    case 4:
      return DType::i32;
    default:
      return DType::i64;
  }
}

Term signbit(const Term& x) {
  return bitcast(x, bits_dtype(x.dtype())) < 0;
}

Term with_sign_of(const Term& y, const Term& x) {
  return select(signbit(x), -y, y);
}

Term isfinite(const Term& x) {
  return abs(x) < std::numeric_limits<double>::infinity();
}

Term term_of(std::string_view op, const Tensor& x, Where where) {
  if (!x.defined()) throw Error(where, op, "operand 1 is an undefined tensor");
  return {x, where};
}

Term float_term_of(std::string_view op, const Tensor& x, Where where) {
  const Term term = term_of(op, x, where);
  return is_float(term.dtype()) ? term : cast(term, DType::f32);
}

TermPair terms_of(std::string_view op, const Operand& a, const Operand& b) {
  const auto tensor = [&](const Operand& operand, int position) -> const Tensor* {
    if (operand.tensor == nullptr || operand.tensor->defined()) return operand.tensor;
    throw Error(a.where, op, fmt::format("operand {} is an undefined tensor", position));
  };
  const Tensor* const x = tensor(a, 1);
  const Tensor* const y = tensor(b, 2);
  if (x == nullptr && y == nullptr) {
    throw Error(a.where, op, "at least one operand must be a tensor");
  }
  if (x != nullptr && y != nullptr) {
    if (!broadcast_shapes(x->shape(), y->shape())) {
      constexpr auto kText = "shapes do not broadcast: {} and {}";
      throw Error(a.where, op, fmt::format(kText, to_string(x->type()), to_string(y->type())));
    }
    const DType dtype = promote_types(x->dtype(), y->dtype());
    return {cast(Term{*x, a.where}, dtype), cast(Term{*y, a.where}, dtype)};
  }
  const DType dtype =
      x != nullptr ? dtype_beside_number(x->dtype(), b) : dtype_beside_number(y->dtype(), a);
  const auto convert = [&](const Operand& operand) -> Term {
    if (operand.tensor != nullptr) return cast(Term{*operand.tensor, a.where}, dtype);
    // The op only names the function in the error for a number that does not fit.
    return {Tensor(number_node(OpKind::cast, Number(operand), {dtype, {}}, a.where)), a.where};
  };
  return {convert(a), convert(b)};
}

TermPair float_terms_of(std::string_view op, const Operand& a, const Operand& b) {
  const auto [x, y] = terms_of(op, a, b);
  if (is_float(x.dtype())) return {x, y};
  return {cast(x, DType::f32), cast(y, DType::f32)};
}

}  // namespace wick::detail
