#pragma once

// Formulas read as algebra: a Term is a tensor that remembers which line the ops made from it
// belong to, namely the caller's. Internal.

#include <concepts>
#include <source_location>
#include <span>
#include <string_view>

#include "wick/tensor/ops.h"

namespace wick::detail {

struct Term {
  Tensor tensor;
  Where where;

  [[nodiscard]] bool defined() const { return tensor.defined(); }

  [[nodiscard]] DType dtype() const { return tensor.dtype(); }

  [[nodiscard]] const Shape& shape() const { return tensor.shape(); }

  /// A number of this dtype that is an operand of the program: what users pass.
  [[nodiscard]] Term operand(double number) const;
  /// A number of this dtype that is part of the program: coefficients.
  [[nodiscard]] Term literal(double number) const;
};

/// The right side of an operator. Numbers are literals.
struct TermOrNumber {
  // NOLINTBEGIN(google-explicit-constructor): converting is this type's purpose.
  TermOrNumber(const Term& t) : term(&t) {}

  template <Arithmetic T>
  TermOrNumber(T n) : number(static_cast<double>(n)) {}

  // NOLINTEND(google-explicit-constructor)

  const Term* term = nullptr;
  double number = 0;
};

Term operator-(const Term& a);
Term operator+(const Term& a, const TermOrNumber& b);
Term operator-(const Term& a, const TermOrNumber& b);
Term operator*(const Term& a, const TermOrNumber& b);
/// The op div: of integers it rounds toward minus infinity.
Term operator/(const Term& a, const TermOrNumber& b);
Term operator+(double a, const Term& b);
Term operator-(double a, const Term& b);
Term operator*(double a, const Term& b);
Term operator/(double a, const Term& b);

Term operator==(const Term& a, const TermOrNumber& b);
Term operator!=(const Term& a, const TermOrNumber& b);
Term operator<(const Term& a, const TermOrNumber& b);
Term operator<=(const Term& a, const TermOrNumber& b);
Term operator>(const Term& a, const TermOrNumber& b);
Term operator>=(const Term& a, const TermOrNumber& b);
// Of bools and integers.
Term operator&(const Term& a, const Term& b);
Term operator|(const Term& a, const Term& b);
Term operator^(const Term& a, const Term& b);
/// Of bools.
Term operator!(const Term& a);

/// y where the condition is true, else z.
Term select(const Term& condition, const Term& y, const TermOrNumber& z);
Term select(const Term& condition, double y, const Term& z);
Term maximum(const Term& a, const TermOrNumber& b);
Term minimum(const Term& a, const TermOrNumber& b);
Term rem(const Term& a, const Term& b);
Term pow(const Term& a, const TermOrNumber& b);

/// C's remainder of floats, of the sign of a.
Term fmod(const Term& a, const Term& b);

Term abs(const Term& x);
/// Toward 0; -0 stays.
Term trunc(const Term& x);
Term floor(const Term& x);
Term round(const Term& x);
Term exp(const Term& x);
Term log(const Term& x);
Term sqrt(const Term& x);
Term sin(const Term& x);
Term cos(const Term& x);
Term atan(const Term& x);
Term tanh(const Term& x);
Term erf(const Term& x);
Term sigmoid(const Term& x);
Term cast(const Term& x, DType dtype);
Term bitcast(const Term& x, DType dtype);

/// c[0] + c[1] x + c[2] x^2 + ...
Term polynomial(const Term& x, std::span<const double> coefficients);
/// The integer as wide as a float dtype.
DType bits_dtype(DType dtype);
/// Whether the sign bit of a float is set: of -0 and of some NaNs too.
Term signbit(const Term& x);
/// -y where the sign bit of x is set, y elsewhere.
Term with_sign_of(const Term& y, const Term& x);
/// Neither infinite nor NaN.
Term isfinite(const Term& x);

/// The tensor of an op function; Error if it is undefined.
Term term_of(std::string_view op, const Tensor& x, Where where);
/// The same, integers and bools as f32.
Term float_term_of(std::string_view op, const Tensor& x, Where where);

struct TermPair {
  Term a;
  Term b;
};

/// The operands of an op function in the dtype that they promote to. Errors: an undefined tensor,
/// two numbers, shapes that do not broadcast.
TermPair terms_of(std::string_view op, const Operand& a, const Operand& b);
/// The same, integers and bools as f32.
TermPair float_terms_of(std::string_view op, const Operand& a, const Operand& b);

/// f(x) computed in f32 where x is of a half type, and rounded once.
template <std::invocable<const Term&> Formula>
Term at_least_f32(const Term& x, Formula formula) {
  if (x.dtype() != DType::f16 && x.dtype() != DType::bf16) return formula(x);
  return cast(formula(cast(x, DType::f32)), x.dtype());
}

/// f(x) computed in f64 where x is f32: the way to functions whose short formulas lose digits.
template <std::invocable<const Term&> Formula>
Term in_f64(const Term& x, Formula formula) {
  return cast(formula(cast(x, DType::f64)), x.dtype());
}

}  // namespace wick::detail
