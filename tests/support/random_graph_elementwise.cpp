// Elementwise families; see random_graph.h.

#include <algorithm>
#include <cmath>
#include <utility>

#include "random_graph_generator.h"

namespace wick::testing_support {

using ir::OpKind;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

bool is_exact_float(const Entry& e) {
  return is_finite_float(e) && e.fact.exact;
}

bool is_integer_entry(const Entry& e) {
  return is_integer(e.value.type().dtype);
}

bool is_bool_entry(const Entry& e) {
  return e.value.type().dtype == DType::bool_;
}

Fact joined(const Fact& a, const Fact& b) {
  return {.bound = std::max(a.bound, b.bound),
          .error = std::max(a.error, b.error),
          .exact = a.exact && b.exact};
}

}  // namespace

bool Generator::float_unary() {
  const auto x = pick_float();
  if (!x) return false;
  const auto [bound, error, exact] = x->fact;
  const DType dtype = x->value.type().dtype;
  static const std::vector<OpKind> kOps = {OpKind::neg,
                                           OpKind::abs,
                                           OpKind::exp,
                                           OpKind::log,
                                           OpKind::sqrt,
                                           OpKind::sin,
                                           OpKind::cos,
                                           OpKind::atan,
                                           OpKind::tanh,
                                           OpKind::erf,
                                           OpKind::sigmoid};
  const OpKind op = random_.pick(kOps);
  switch (op) {
    case OpKind::neg:
    case OpKind::abs:
      return add(op, {*x}, x->fact).has_value();
    case OpKind::exp:
      if (bound > 4) return false;
      return add(op, {*x}, rounded(std::exp(bound), error * std::exp(bound), dtype)).has_value();
    case OpKind::log:
    case OpKind::sqrt: {
      // Far from 0, where the slopes are at most 2; or raw, where both sides see the same bits.
      if (exact && random_.chance(0.2)) {
        return add(op, {*x}, {.bound = kUnknown, .error = 0, .exact = false}).has_value();
      }
      const auto p = positive(*x);
      if (!p) return false;
      const double largest =
          op == OpKind::sqrt ? std::sqrt(p->fact.bound) : std::max(0.7, std::log(p->fact.bound));
      return add(op, {*p}, rounded(largest, 2 * p->fact.error, dtype)).has_value();
    }
    case OpKind::sin:
    case OpKind::cos:
      if (bound > 100) return false;
      return add(op, {*x}, rounded(1, error, dtype)).has_value();
    default:  // atan, tanh, erf, sigmoid: slopes of at most 1.13
      return add(op, {*x}, rounded(1.6, 1.13 * error, dtype)).has_value();
  }
}

bool Generator::jumping_unary() {
  const auto x = pick(is_exact_float);
  if (!x) return false;
  static const std::vector<OpKind> kOps = {OpKind::floor, OpKind::round};
  return add(random_.pick(kOps), {*x}, {.bound = x->fact.bound + 1}).has_value();
}

bool Generator::integer_unary() {
  const auto x = pick(is_integer_entry);
  if (!x) return false;
  static const std::vector<OpKind> kOps = {OpKind::neg, OpKind::abs};
  return add(random_.pick(kOps), {*x}, x->fact).has_value();
}

bool Generator::cast() {
  const auto x = pick([](const Entry& e) { return std::isfinite(e.fact.bound); });
  if (!x) return false;
  const DType from = x->value.type().dtype;
  const DType to = random_dtype();
  if (is_float(from) && !is_float(to) && !x->fact.exact) return false;
  if (is_float(to) && x->fact.bound > (to == DType::f16 ? 3e4 : 1e6)) return false;
  Fact fact = x->fact;
  if (is_float(from) && is_float(to) && epsilon(to) > epsilon(from)) {
    // What is exact rounds to the same narrower value everywhere; others may round to either side.
    fact.error += epsilon(to) * fact.bound;
  }
  if (!is_float(to)) fact.error = 0;  // only what is exact comes here
  if (to == DType::bool_) fact = {.bound = 1};
  return add(OpKind::cast, {*x}, fact, {{"dtype", to}}).has_value();
}

/// Between integers: the bits of floats may differ where their values agree.
bool Generator::bitcast() {
  const auto x = pick(is_integer_entry);
  if (!x) return false;
  const DType from = x->value.type().dtype;
  const bool is_byte = size_of(from) == 1;
  const DType to = !is_byte ? from : from == DType::i8 ? DType::u8 : DType::i8;
  const Fact fact{.bound = is_byte ? 255 : x->fact.bound};
  return add(OpKind::bitcast, {*x}, fact, {{"dtype", to}}).has_value();
}

bool Generator::float_binary() {
  const auto x = pick_float();
  if (!x) return false;
  Entry y = partner(*x, false);
  const DType dtype = x->value.type().dtype;
  const Fact a = x->fact;
  const Fact b = y.fact;
  static const std::vector<OpKind> kOps = {OpKind::add,
                                           OpKind::add,
                                           OpKind::sub,
                                           OpKind::sub,
                                           OpKind::mul,
                                           OpKind::mul,
                                           OpKind::maximum,
                                           OpKind::minimum};
  const OpKind op = random_.pick(kOps);
  Fact fact = joined(a, b);
  if (op == OpKind::mul) {
    fact = rounded(a.bound * b.bound, a.error * b.bound + b.error * a.bound, dtype);
  } else if (op == OpKind::add || op == OpKind::sub) {
    fact = rounded(a.bound + b.bound, a.error + b.error, dtype);
  }
  if (fact.bound > 1000) return false;
  const bool swaps = random_.chance(0.5);
  return add(op, swaps ? std::vector{y, *x} : std::vector{*x, y}, fact).has_value();
}

bool Generator::division() {
  const auto x = pick_float();
  if (!x) return false;
  const Entry y = partner(*x, false);
  const DType dtype = x->value.type().dtype;
  if (x->fact.exact && y.fact.exact && random_.chance(0.2)) {
    // Division by anything: infinite and undefined quotients are the same everywhere.
    return add(OpKind::div, {*x, y}, {.bound = kUnknown, .error = 0, .exact = false}).has_value();
  }
  const auto divisor = positive(y);
  if (!divisor) return false;
  const Fact fact = rounded(
      2 * x->fact.bound, 2 * x->fact.error + 4 * x->fact.bound * divisor->fact.error, dtype);
  return add(OpKind::div, {*x, *divisor}, fact).has_value();
}

bool Generator::power() {
  const auto x = pick([](const Entry& e) { return is_finite_float(e) && e.fact.bound <= 4; });
  if (!x) return false;
  const DType dtype = x->value.type().dtype;
  if (random_.chance(0.5)) {
    // The exponents that simplify, and one that does not, over any base.
    static const std::vector<double> kExponents = {0, 1, 2, 3, 4, -1, 0.5, -0.5, 2.5};
    const double exponent = random_.pick(kExponents);
    const bool smooth = exponent >= 0 && exponent == std::floor(exponent);
    if (!smooth && !x->fact.exact) return false;
    const double bound = smooth ? std::pow(std::max(x->fact.bound, 1.0), exponent) : kUnknown;
    Fact fact = rounded(bound, 0, dtype);
    fact.error = smooth ? (exponent + 1) * bound * (x->fact.error + 2 * epsilon(dtype)) : 0;
    return add(OpKind::pow, {*x, scalar(dtype, exponent)}, fact).has_value();
  }
  const auto base = positive(*x);
  const Entry y = partner(*x, false);
  if (!base || y.fact.bound > 3) return false;
  const double bound = std::pow(std::max(base->fact.bound, 2.0), y.fact.bound);
  const double error = bound * (6 * base->fact.error + 1.6 * y.fact.error);
  return add(OpKind::pow, {*base, y}, rounded(bound, error + 10 * epsilon(dtype), dtype))
      .has_value();
}

/// The remainder jumps where the quotient is integral.
bool Generator::exact_binary() {
  const auto x = pick(is_exact_float);
  if (!x) return false;
  const Entry y = partner(*x, true);
  const Fact fact{.bound = y.fact.bound + x->fact.bound,
                  .error = epsilon(x->value.type().dtype) * y.fact.bound,
                  .exact = false};
  return add(OpKind::rem, {*x, y}, fact).has_value();
}

bool Generator::integer_binary() {
  const auto x = pick(is_integer_entry);
  if (!x) return false;
  const Entry y = partner(*x, true);
  static const std::vector<OpKind> kOps = {OpKind::add,
                                           OpKind::sub,
                                           OpKind::mul,
                                           OpKind::div,
                                           OpKind::rem,
                                           OpKind::maximum,
                                           OpKind::minimum,
                                           OpKind::bit_and,
                                           OpKind::bit_or,
                                           OpKind::bit_xor,
                                           OpKind::shift_left,
                                           OpKind::shift_right};
  const OpKind op = random_.pick(kOps);
  const double a = x->fact.bound;
  const double b = y.fact.bound;
  double bound = kUnknown;
  if (op == OpKind::add || op == OpKind::sub || op == OpKind::maximum || op == OpKind::minimum ||
      op == OpKind::rem || op == OpKind::div) {
    bound = a + b;
  } else if (op == OpKind::mul) {
    bound = a * b;
  }
  if (bound > 1e8 || std::isnan(bound)) bound = kUnknown;
  return add(op, {*x, y}, {.bound = bound}).has_value();
}

bool Generator::bool_op() {
  const auto x = pick(is_bool_entry);
  if (!x) return false;
  static const std::vector<OpKind> kOps = {OpKind::logical_not,
                                           OpKind::add,
                                           OpKind::mul,
                                           OpKind::bit_and,
                                           OpKind::bit_or,
                                           OpKind::bit_xor,
                                           OpKind::eq,
                                           OpKind::ne};
  const OpKind op = random_.pick(kOps);
  if (op == OpKind::logical_not) return add(op, {*x}, {.bound = 1}).has_value();
  return add(op, {*x, partner(*x, true)}, {.bound = 1}).has_value();
}

bool Generator::compare() {
  const auto x = pick_exact();
  if (!x) return false;
  const Entry y = partner(*x, true);
  static const std::vector<OpKind> kOps = {OpKind::eq, OpKind::ne, OpKind::lt, OpKind::le};
  return add(random_.pick(kOps), {*x, y}, {.bound = 1}).has_value();
}

bool Generator::where() {
  const auto condition = pick(is_bool_entry);
  const auto x = pick([](const Entry& e) { return std::isfinite(e.fact.bound); });
  if (!condition || !x) return false;
  const Entry y = partner(*x, false);
  return add(OpKind::where, {*condition, *x, y}, joined(x->fact, y.fact)).has_value();
}

}  // namespace wick::testing_support
