#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

bool is_bool(Value value) {
  return value.type().dtype == DType::bool_;
}

/// True or false in every element, whatever the operands.
Value truth(bool value, RuleBuilder& build) {
  return build.spread(build.scalar(DType::bool_, value ? 1 : 0));
}

/// Neutral when all bits of every element are set.
bool is_all_ones(Value value) {
  const DType dtype = value.type().dtype;
  if (dtype == DType::bool_) return is_splat(value, 1);
  return is_splat(value, dtype == DType::u8 ? 255 : -1);
}

Value not_of_logic(const Node& node, RuleBuilder& build) {
  const Node& inner = *node.operand(0).node;
  switch (inner.op()) {
    case OpKind::logical_not:
      return inner.operand(0);
    case OpKind::eq:
      return build.op(OpKind::ne, {inner.operand(0), inner.operand(1)});
    case OpKind::ne:
      return build.op(OpKind::eq, {inner.operand(0), inner.operand(1)});
    case OpKind::lt:
    case OpKind::le:
      break;
    default:  // nothing to merge with
      return {};
  }
  // With NaN neither a < b nor b <= a holds.
  if (is_float(inner.operand(0).type().dtype)) return {};
  const OpKind opposite = inner.op() == OpKind::lt ? OpKind::le : OpKind::lt;
  return build.op(opposite, {inner.operand(1), inner.operand(0)});
}

Value compare_with_itself(const Node& node, RuleBuilder& build) {
  if (node.operand(0) != node.operand(1)) return {};
  if (node.op() == OpKind::lt) return truth(false, build);
  if (is_float(node.operand(0).type().dtype)) return {};  // NaN differs from itself
  return truth(node.op() != OpKind::ne, build);
}

Value compare_with_truth(const Node& node, RuleBuilder& build) {
  if (!is_bool(node.operand(0))) return {};
  const bool is_true = is_splat(node.operand(1), 1);
  if (!is_true && !is_splat(node.operand(1), 0)) return {};
  if (is_true == (node.op() == OpKind::eq)) return build.spread(node.operand(0));
  return build.spread(build.op(OpKind::logical_not, {node.operand(0)}));
}

/// x & x, x | x.
Value idempotent(const Node& node, RuleBuilder& /*build*/) {
  return node.operand(0) == node.operand(1) ? node.operand(0) : Value{};
}

/// x + x (or) and x * x (and) of bool.
Value idempotent_bool(const Node& node, RuleBuilder& /*build*/) {
  return is_bool(node.operand(0)) && node.operand(0) == node.operand(1) ? node.operand(0) : Value{};
}

Value xor_itself(const Node& node, RuleBuilder& build) {
  if (node.operand(0) != node.operand(1)) return {};
  return build.spread(build.scalar(node.type().dtype, 0));
}

Value and_constant(const Node& node, RuleBuilder& build) {
  if (is_splat(node.operand(1), 0)) return build.spread(build.scalar(node.type().dtype, 0));
  return is_all_ones(node.operand(1)) ? build.spread(node.operand(0)) : Value{};
}

/// x | 0, x ^ 0, x << 0, x >> 0.
Value zero_is_neutral(const Node& node, RuleBuilder& build) {
  return is_splat(node.operand(1), 0) ? build.spread(node.operand(0)) : Value{};
}

Value where_constant(const Node& node, RuleBuilder& build) {
  if (is_splat(node.operand(0), 1)) return build.spread(node.operand(1));
  return is_splat(node.operand(0), 0) ? build.spread(node.operand(2)) : Value{};
}

Value where_same(const Node& node, RuleBuilder& build) {
  return node.operand(1) == node.operand(2) ? build.spread(node.operand(1)) : Value{};
}

Value where_not(const Node& node, RuleBuilder& build) {
  const Node* negated = producer(node.operand(0), OpKind::logical_not);
  if (negated == nullptr) return {};
  return build.op(OpKind::where, {negated->operand(0), node.operand(2), node.operand(1)});
}

Value where_truths(const Node& node, RuleBuilder& build) {
  if (!is_bool(node.operand(1))) return {};
  if (is_splat(node.operand(1), 1) && is_splat(node.operand(2), 0)) {
    return build.spread(node.operand(0));
  }
  if (!is_splat(node.operand(1), 0) || !is_splat(node.operand(2), 1)) return {};
  return build.spread(build.op(OpKind::logical_not, {node.operand(0)}));
}

const Rule kLogicRules[] = {
    {"not-of-logic", OpKind::logical_not, not_of_logic},
    {"compare-with-itself", OpKind::eq, compare_with_itself},
    {"compare-with-itself", OpKind::ne, compare_with_itself},
    {"compare-with-itself", OpKind::lt, compare_with_itself},
    {"compare-with-itself", OpKind::le, compare_with_itself},
    {"compare-with-truth", OpKind::eq, compare_with_truth},
    {"compare-with-truth", OpKind::ne, compare_with_truth},
    {"and-itself", OpKind::bit_and, idempotent},
    {"or-itself", OpKind::bit_or, idempotent},
    {"and-itself", OpKind::mul, idempotent_bool},
    {"or-itself", OpKind::add, idempotent_bool},
    {"xor-itself", OpKind::bit_xor, xor_itself},
    {"and-constant", OpKind::bit_and, and_constant},
    {"or-zero", OpKind::bit_or, zero_is_neutral},
    {"xor-zero", OpKind::bit_xor, zero_is_neutral},
    {"shift-zero", OpKind::shift_left, zero_is_neutral},
    {"shift-zero", OpKind::shift_right, zero_is_neutral},
    {"where-constant", OpKind::where, where_constant},
    {"where-same", OpKind::where, where_same},
    {"where-not", OpKind::where, where_not},
    {"where-truths", OpKind::where, where_truths},
};

}  // namespace

std::span<const Rule> logic_rules() {
  return kLogicRules;
}

}  // namespace wick::passes
