#include "wick/tensor/ops_arithmetic.h"

#include <cmath>
#include <optional>

#include "wick/tensor/promotion.h"
#include "wick/tensor/recording.h"
#include "wick/tensor/term.h"

namespace wick {

using detail::float_terms_of;
using detail::HistoryPause;
using detail::Term;
using detail::term_of;
using detail::TermPair;
using detail::terms_of;

namespace {

bool is_one(const Operand& number) {
  return number.tensor == nullptr && number.real == 1;
}

/// value * x, x itself where value is the number 1.
Tensor times(const Tensor& x, const Operand& value, Where where) {
  if (is_one(value)) return x;
  return detail::record_binary(ir::OpKind::mul, {x, where}, value, where);
}

/// Whether q b = a needs q to be corrected: the remainder is not 0, and not of the sign of b.
Term signs_differ(const Term& rest, const Term& b) {
  return (rest != 0) & ((rest < 0) != (b < 0));
}

/// Toward minus infinity. Of the rounded quotient this would be wrong where rounding reaches an
/// integer: 1 / 0.1 is 10 in f32, and 1 // 0.1 is 9. (a - rest) / b is an integer but for rounding.
Term floor_quotient(const Term& a, const Term& b) {
  const Term rest = fmod(a, b);
  const Term whole = round((a - rest) / b);
  const Term lower = select(signs_differ(rest, b), whole - 1, whole);
  const Term quotient = a / b;
  const Term signed_zero = with_sign_of(lower.literal(0), quotient);
  return select(b == 0, quotient, select(lower == 0, signed_zero, lower));
}

Term integer_quotient_toward_zero(const Term& a, const Term& b) {
  const Term below = a / b;
  const Term inexact = below * b != a;
  const Term negative = (a < 0) != (b < 0);
  return select(inexact & negative & (b != 0), below + 1, below);
}

Term rounded_quotient(const TermPair& pair, Rounding rounding) {
  const auto& [a, b] = pair;
  if (is_float(a.dtype())) {
    return at_least_f32(a, [&](const Term& wide) {
      const Term divisor = cast(b, wide.dtype());
      if (rounding == Rounding::floor) return floor_quotient(wide, divisor);
      return trunc(wide / divisor);
    });
  }
  return rounding == Rounding::floor ? a / b : integer_quotient_toward_zero(a, b);
}

struct Bounds {
  std::optional<Term> low;
  std::optional<Term> high;
};

Term bounded(const Term& x, const Bounds& bounds) {
  Term result = x;
  if (bounds.low) result = maximum(result, *bounds.low);
  if (bounds.high) result = minimum(result, *bounds.high);
  return result;
}

bool needs_gradient(const Term& x, const Bounds& bounds) {
  const auto requires_grad = [](const Term& term) { return term.tensor.requires_grad(); };
  return is_float(x.dtype()) && detail::grad_mode() &&
         (requires_grad(x) || (bounds.low && requires_grad(*bounds.low)) ||
          (bounds.high && requires_grad(*bounds.high)));
}

/// The value of `bounded` from selections that the gradient follows: to x within the bounds, to a
/// bound where it alone decides, nowhere at NaN.
Term clamped(const Term& x, const Bounds& bounds) {
  if (!needs_gradient(x, bounds)) return bounded(x, bounds);
  Term result = [&] {
    const HistoryPause pause;
    return bounded(x, bounds);
  }();
  const auto& [low, high] = bounds;
  if (low && low->tensor.requires_grad()) {
    const Term decides = high ? (x < *low) & (*low < *high) : x < *low;
    result = select(decides, *low, result);
  }
  if (high && high->tensor.requires_grad()) {
    const Term decides = low ? (x > *high) | (*low > *high) : x > *high;
    result = select(decides, *high, result);
  }
  const Term inside = low && high ? (x >= *low) & (x <= *high) : low ? x >= *low : x <= *high;
  return select(inside, x, result);
}

}  // namespace

Tensor add(const Operand& a, const Operand& b, const Operand& alpha) {
  if (b.tensor == nullptr || is_one(alpha)) return a + b;
  return a + times(*b.tensor, alpha, a.where);
}

Tensor sub(const Operand& a, const Operand& b, const Operand& alpha) {
  if (b.tensor == nullptr || is_one(alpha)) return a - b;
  return a - times(*b.tensor, alpha, a.where);
}

Tensor addcmul(
    const Tensor& x, const Tensor& a, const Tensor& b, const Operand& value, Where where) {
  const Tensor product = Operand(a, where) * Operand(b, where);
  return Operand(x, where) + Operand(times(product, value, where), where);
}

Tensor addcdiv(
    const Tensor& x, const Tensor& a, const Tensor& b, const Operand& value, Where where) {
  const Tensor quotient = Operand(a, where) / Operand(b, where);
  return Operand(x, where) + Operand(times(quotient, value, where), where);
}

Tensor lerp(const Tensor& start, const Tensor& end, const Operand& weight, Where where) {
  const auto [a, b] = float_terms_of("lerp", {start, where}, {end, where});
  // From the nearer end, so that either is met.
  if (weight.tensor == nullptr) {
    const bool nearer_to_start = weight.real < 0.5;
    const Term distance = b - a;
    if (nearer_to_start) return (a + distance * a.operand(weight.real)).tensor;
    return (b + distance * a.operand(weight.real - 1)).tensor;
  }
  const Term w = cast(term_of("lerp", *weight.tensor, where), a.dtype());
  const Term nearer_to_start = w < 0.5;
  const Term base = select(nearer_to_start, a, b);
  return (base + select(nearer_to_start, w, w - 1) * (b - a)).tensor;
}

Tensor div(const Operand& a, const Operand& b, Rounding rounding) {
  if (rounding == Rounding::none) return a / b;
  const HistoryPause pause;  // steps, whose gradient is 0
  return rounded_quotient(terms_of("div", a, b), rounding).tensor;
}

Tensor floor_divide(const Operand& a, const Operand& b) {
  return div(a, b, Rounding::floor);
}

Tensor remainder(const Operand& a, const Operand& b) {
  return a % b;
}

Tensor clamp(const Tensor& x, double low, double high, Where where) {
  const DType dtype = term_of("clamp", x, where).dtype();
  const auto bound = [&](double value) {
    if (std::isinf(value)) return Tensor();
    // A fraction makes floats of integers, as beside any operator.
    const bool fits = is_float(dtype) || std::trunc(value) == value;
    return scalar(value, fits ? dtype : DType::f32, where);
  };
  return clamp(x, bound(low), bound(high), where);
}

Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high, Where where) {
  Term term = term_of("clamp", x, where);
  DType dtype = term.dtype();
  for (const Tensor& bound : {low, high}) {
    if (bound.defined()) dtype = promote_types(dtype, bound.dtype());
  }
  const auto convert = [&](const Tensor& bound) -> std::optional<Term> {
    if (!bound.defined()) return std::nullopt;
    return cast(Term{bound, where}, dtype);
  };
  const Bounds bounds{convert(low), convert(high)};
  term = cast(term, dtype);
  return (bounds.low || bounds.high ? clamped(term, bounds) : term).tensor;
}

Tensor clamp_min(const Tensor& x, const Operand& low, Where where) {
  const auto [term, bound] = terms_of("clamp_min", {x, where}, low);
  return clamped(term, {.low = bound, .high = std::nullopt}).tensor;
}

Tensor clamp_max(const Tensor& x, const Operand& high, Where where) {
  const auto [term, bound] = terms_of("clamp_max", {x, where}, high);
  return clamped(term, {.low = std::nullopt, .high = bound}).tensor;
}

}  // namespace wick
