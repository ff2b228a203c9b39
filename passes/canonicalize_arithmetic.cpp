#include <cmath>
#include <limits>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

// Every rule keeps the bits of its result, NaN payloads and the rules' own remarks excepted, and
// powers, of which products and roots each round: IEEE arithmetic has two zeros, so x + 0 is not x
// (at -0), while x - 0 and x + -0 are.

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

bool is_float_node(const Node& node) {
  return is_float(node.type().dtype);
}

bool is_negative_zero(Value value) {
  const std::optional<double> number = splat_number(value);
  return number && *number == 0 && std::signbit(*number);
}

bool is_positive_zero(Value value) {
  const std::optional<double> number = splat_number(value);
  return number && *number == 0 && !std::signbit(*number);
}

Value zero(const Node& node, RuleBuilder& build) {
  return build.spread(build.scalar(node.type().dtype, 0));
}

Value add_zero(const Node& node, RuleBuilder& build) {
  const bool neutral = is_float_node(node) ? is_negative_zero(node.operand(1)) ||
                                                 (is_positive_zero(node.operand(1)) &&
                                                  is_never_negative(node.operand(0)))
                                           : is_splat(node.operand(1), 0);
  return neutral ? build.spread(node.operand(0)) : Value{};
}

Value add_neg(const Node& node, RuleBuilder& build) {
  for (const int side : {1, 0}) {
    if (const Node* negated = producer(node.operand(side), OpKind::neg)) {
      return build.op(OpKind::sub, {node.operand(1 - side), negated->operand(0)});
    }
  }
  return {};
}

/// (x op c1) op c2 = x op (c1 op c2), which holds for integers, wrapping included.
Value reassociate_constants(const Node& node, RuleBuilder& build) {
  if (is_float_node(node) || !is_constant(node.operand(1))) return {};
  const Node* inner = producer(node.operand(0), node.op());
  if (inner == nullptr || !is_constant(inner->operand(1)) || is_constant(inner->operand(0))) {
    return {};
  }
  return build.op(node.op(),
                  {inner->operand(0), build.op(node.op(), {inner->operand(1), node.operand(1)})});
}

Value sub_zero(const Node& node, RuleBuilder& build) {
  const bool neutral =
      is_float_node(node) ? is_positive_zero(node.operand(1)) : is_splat(node.operand(1), 0);
  return neutral ? build.spread(node.operand(0)) : Value{};
}

Value sub_from_zero(const Node& node, RuleBuilder& build) {
  const bool negates =
      is_float_node(node) ? is_negative_zero(node.operand(0)) : is_splat(node.operand(0), 0);
  if (!negates || node.type().dtype == DType::bool_) return {};
  return build.spread(build.op(OpKind::neg, {node.operand(1)}));
}

Value sub_neg(const Node& node, RuleBuilder& build) {
  const Node* negated = producer(node.operand(1), OpKind::neg);
  if (negated == nullptr) return {};
  return build.op(OpKind::add, {node.operand(0), negated->operand(0)});
}

Value sub_itself(const Node& node, RuleBuilder& build) {
  if (is_float_node(node) || node.operand(0) != node.operand(1)) return {};
  return zero(node, build);
}

Value mul_one(const Node& node, RuleBuilder& build) {
  return is_splat(node.operand(1), 1) ? build.spread(node.operand(0)) : Value{};
}

Value mul_minus_one(const Node& node, RuleBuilder& build) {
  if (!is_splat(node.operand(1), -1)) return {};
  return build.spread(build.op(OpKind::neg, {node.operand(0)}));
}

/// Not for floats: NaN * 0 and infinity * 0 are NaN, and -1 * 0 is -0.
Value mul_zero(const Node& node, RuleBuilder& build) {
  if (is_float_node(node) || !is_splat(node.operand(1), 0)) return {};
  return zero(node, build);
}

Value mul_negs(const Node& node, RuleBuilder& build) {
  const Node* lhs = producer(node.operand(0), OpKind::neg);
  const Node* rhs = producer(node.operand(1), OpKind::neg);
  if (lhs == nullptr || rhs == nullptr) return {};
  return build.op(OpKind::mul, {lhs->operand(0), rhs->operand(0)});
}

Value div_one(const Node& node, RuleBuilder& build) {
  return is_splat(node.operand(1), 1) ? build.spread(node.operand(0)) : Value{};
}

Value div_minus_one(const Node& node, RuleBuilder& build) {
  if (!is_float_node(node) || !is_splat(node.operand(1), -1)) return {};
  return build.spread(build.op(OpKind::neg, {node.operand(0)}));
}

/// 1 / c is exact, and normal, so both sides round the same real number.
Value div_power_of_two(const Node& node, RuleBuilder& build) {
  const DType dtype = node.type().dtype;
  if (dtype != DType::f32 && dtype != DType::f64) return {};
  const std::optional<double> divisor = splat_number(node.operand(1));
  if (!divisor || is_constant(node.operand(0))) return {};
  int exponent = 0;
  const int limit = dtype == DType::f32 ? 120 : 1000;
  if (std::abs(std::frexp(*divisor, &exponent)) != 0.5 || std::abs(exponent) > limit) return {};
  const Value factor = build.scalar(dtype, 1.0 / *divisor);
  return build.spread(build.op(OpKind::mul, {node.operand(0), factor}));
}

Value rem_one(const Node& node, RuleBuilder& build) {
  if (is_float_node(node) || !is_splat(node.operand(1), 1)) return {};
  return zero(node, build);
}

Value double_neg(const Node& node, RuleBuilder& /*build*/) {
  const Node* inner = producer(node.operand(0), OpKind::neg);
  return inner == nullptr ? Value{} : inner->operand(0);
}

Value abs_of_sign(const Node& node, RuleBuilder& build) {
  const Value x = node.operand(0);
  // The negative of an unsigned number wraps: its magnitude is another.
  if (is_never_negative(x) || node.type().dtype == DType::u8) return x;
  const Node* negated = producer(x, OpKind::neg);
  return negated == nullptr ? Value{} : build.op(OpKind::abs, {negated->operand(0)});
}

Value round_of_round(const Node& node, RuleBuilder& /*build*/) {
  const OpKind inner = node.operand(0).node->op();
  const bool integral = inner == OpKind::floor || inner == OpKind::round;
  return integral ? node.operand(0) : Value{};
}

Value extremum_of_itself(const Node& node, RuleBuilder& /*build*/) {
  return node.operand(0) == node.operand(1) ? node.operand(0) : Value{};
}

Value extremum_of_limit(const Node& node, RuleBuilder& build) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double neutral = node.op() == OpKind::maximum ? -kInfinity : kInfinity;
  const bool applies = is_float_node(node) && is_splat(node.operand(1), neutral);
  return applies ? build.spread(node.operand(0)) : Value{};
}

/// pow with a constant exponent, where products and roots mean the same for every x.
Value pow_constant(const Node& node, RuleBuilder& build) {
  const std::optional<double> exponent = splat_number(node.operand(1));
  if (!exponent) return {};
  const Value x = node.operand(0);
  const DType dtype = node.type().dtype;
  if (*exponent == 0) return build.spread(build.scalar(dtype, 1));  // C: NaN too
  if (*exponent == 1) return build.spread(x);
  if (*exponent == -1) return build.spread(build.op(OpKind::div, {build.scalar(dtype, 1), x}));
  if (*exponent != 2 && *exponent != 3 && *exponent != 4) return {};
  const Value square = build.op(OpKind::mul, {x, x});
  if (*exponent == 2) return build.spread(square);
  return build.spread(build.op(OpKind::mul, {square, *exponent == 3 ? x : square}));
}

/// pow with half an odd number by roots, products and reciprocals. Roots keep -0, of which pow
/// makes +0, so that is added in front; of -infinity they make NaN, and pow infinity or 0.
Value pow_half(const Node& node, RuleBuilder& build) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::optional<double> exponent = splat_number(node.operand(1));
  const double size = exponent ? std::fabs(*exponent) : 0;
  if (size != 0.5 && size != 1.5 && size != 2.5) return {};
  const Value x = node.operand(0);
  const DType dtype = node.type().dtype;
  const bool may_be_negative = !is_never_negative(x);
  Value base = may_be_negative ? build.op(OpKind::add, {x, build.scalar(dtype, 0)}) : x;
  const bool is_reciprocal = *exponent < 0;
  // The reciprocal of the smallest numbers is infinite, that of their roots is not.
  const bool divides_last = *exponent == -0.5;
  const auto reciprocal = [&](Value value) {
    return build.op(OpKind::div, {build.scalar(dtype, 1), value});
  };
  if (is_reciprocal && !divides_last) base = reciprocal(base);
  Value power = build.op(OpKind::sqrt, {base});
  if (divides_last) power = reciprocal(power);
  for (double factors = 0.5; factors < size; ++factors)
    power = build.op(OpKind::mul, {power, base});
  if (may_be_negative) {
    const Value is_lowest = build.op(OpKind::eq, {x, build.scalar(dtype, -kInfinity)});
    const Value of_lowest = build.scalar(dtype, is_reciprocal ? 0 : kInfinity);
    power = build.op(OpKind::where, {is_lowest, of_lowest, power});
  }
  return build.spread(power);
}

const Rule kArithmeticRules[] = {
    {"add-zero", OpKind::add, add_zero},
    {"add-neg", OpKind::add, add_neg},
    {"add-constants", OpKind::add, reassociate_constants},
    {"sub-zero", OpKind::sub, sub_zero},
    {"sub-from-zero", OpKind::sub, sub_from_zero},
    {"sub-neg", OpKind::sub, sub_neg},
    {"sub-itself", OpKind::sub, sub_itself},
    {"mul-one", OpKind::mul, mul_one},
    {"mul-minus-one", OpKind::mul, mul_minus_one},
    {"mul-zero", OpKind::mul, mul_zero},
    {"mul-negs", OpKind::mul, mul_negs},
    {"mul-constants", OpKind::mul, reassociate_constants},
    {"div-one", OpKind::div, div_one},
    {"div-minus-one", OpKind::div, div_minus_one},
    {"div-power-of-two", OpKind::div, div_power_of_two},
    {"rem-one", OpKind::rem, rem_one},
    {"double-neg", OpKind::neg, double_neg},
    {"abs-of-sign", OpKind::abs, abs_of_sign},
    {"round-of-round", OpKind::floor, round_of_round},
    {"round-of-round", OpKind::round, round_of_round},
    {"maximum-of-itself", OpKind::maximum, extremum_of_itself},
    {"minimum-of-itself", OpKind::minimum, extremum_of_itself},
    {"maximum-of-limit", OpKind::maximum, extremum_of_limit},
    {"minimum-of-limit", OpKind::minimum, extremum_of_limit},
    {"pow-constant", OpKind::pow, pow_constant},
    {"pow-half", OpKind::pow, pow_half},
};

}  // namespace

std::span<const Rule> arithmetic_rules() {
  return kArithmeticRules;
}

}  // namespace wick::passes
