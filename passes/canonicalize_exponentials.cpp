// Exponentials of what is less by the logarithm of their sum.

#include <limits>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/pattern.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
namespace p = pattern;

/// The op that gives the greatest elements of x, alone or, as logsumexp takes them, 0 where they
/// are infinite; null where the value is something else.
const Node* maximum_of(Value x, Value value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Value greatest = value;
  if (value.node->op() == OpKind::where) {
    greatest = value.node->operand(2);
    const auto infinite =
        p::op(OpKind::eq, p::op(OpKind::abs, p::same(greatest)), p::splat_of(kInfinity));
    if (!p::op(OpKind::where, infinite, p::splat_of(0), p::any())(value)) return nullptr;
  }
  return p::op(OpKind::reduce_max, p::same(x))(greatest) ? greatest.node : nullptr;
}

/// Each row is less by its own greatest element, and its sum at least 1.
bool are_of_same_rows(const Node* maximum, Value sum) {
  if (maximum == nullptr || maximum->type() != sum.type()) return false;
  const ir::Attributes& rows = sum.node->attributes();
  return rows == maximum->attributes() && (rows.flag("keepdims") || sum.type().shape.ndim() == 0);
}

/// Of x = y - max(y) less log(sum(exp(x))), or y less max(y) + log(sum(exp(x))): that sum.
Value normalizer_of(Value exponent) {
  Value x;
  Value y;
  Value less;
  Value sum;
  Value greatest;
  const auto sum_of_x = p::op(OpKind::reduce_sum, p::op(OpKind::exp, p::any(x)));
  const auto log_of_sum = p::op(OpKind::log, p::any(sum));
  if (!p::op(OpKind::sub, p::any(y), p::any(less))(exponent)) return {};
  const bool is_shifted = log_of_sum(less);
  if (!is_shifted && !p::op(OpKind::add, log_of_sum, p::any(greatest))(less)) return {};
  if (!sum_of_x(sum)) return {};
  if (is_shifted) {
    if (x != y || !p::op(OpKind::sub, p::any(y), p::any(greatest))(x)) return {};
  } else if (!p::op(OpKind::sub, p::same(y), p::same(greatest))(x)) {
    return {};
  }
  return are_of_same_rows(maximum_of(y, greatest), sum) ? sum : Value{};
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
