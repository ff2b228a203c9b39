// Exponentials of what is less by the logarithm of their sum.

#include <cstdint>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/pattern.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
namespace p = pattern;

/// Of x = y - max(y) less log(sum(exp(x))): that sum. Each row is less by its own greatest element,
/// and its sum at least 1. Not of y less its logsumexp: beside huge elements its logarithm is lost.
Value normalizer_of(Value exponent) {
  Value x;
  Value y;
  Value sum;
  Value greatest;
  if (!p::op(OpKind::sub, p::any(x), p::op(OpKind::log, p::any(sum)))(exponent)) return {};
  if (!p::op(OpKind::reduce_sum, p::op(OpKind::exp, p::same(x)))(sum)) return {};
  if (!p::op(OpKind::sub, p::any(y), p::any(greatest))(x)) return {};
  if (!p::op(OpKind::reduce_max, p::same(y))(greatest)) return {};
  const ir::Attributes& rows = sum.node->attributes();
  const bool are_same = rows == greatest.node->attributes();
  return are_same && (rows.flag("keepdims") || sum.type().shape.ndim() == 0) ? sum : Value{};
}

/// exp(x - log(sum(exp(x)))) = exp(x) / sum(exp(x)): the gradient of log_softmax computes no
/// exponential twice, where to keep the first costs less: in registers, or in caches. Rows that
/// come from memory are computed in its shadow.
Value exp_of_log_softmax(const Node& node, RuleBuilder& build) {
  constexpr int64_t kInRegisters = 208;
  constexpr int64_t kInFirstCaches = 16384;
  constexpr int64_t kFromMemory = int64_t{1} << 18U;
  const Value sum = normalizer_of(node.operand(0));
  if (!sum) return {};
  const int64_t elements = node.type().numel();
  const int64_t longest = elements < kFromMemory ? kInFirstCaches : kInRegisters;
  if (elements > longest * sum.type().numel()) return {};
  return build.op(OpKind::div, {sum.node->operand(0), sum});
}

const Rule kExponentialRules[] = {
    {"exp-of-log-softmax", OpKind::exp, exp_of_log_softmax},
};

}  // namespace

std::span<const Rule> exponential_rules() {
  return kExponentialRules;
}

}  // namespace wick::passes
