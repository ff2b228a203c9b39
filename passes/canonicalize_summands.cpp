// Sums of many values that were made alike, as the steps of a recurrent network make them: what
// each of them is made of is joined, and one op gives their sum.

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/epilogue.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// The gradient of a weight: the extent that is summed over comes first in both operands.
bool sums_over_rows(Value value) {
  const Node& node = *value.node;
  if (node.op() != OpKind::matmul || node.uses().size() != 1 || has_epilogue(node)) return false;
  const ir::Attributes& attributes = node.attributes();
  if (!attributes.flag("transpose_lhs") || attributes.flag("transpose_rhs")) return false;
  return std::ranges::all_of(node.operands(), [&](Value operand) {
    return operand.type().shape.ndim() == 2 && operand.type().dtype == value.type().dtype;
  });
}

bool is_added_to_more(const Node& add) {
  if (add.uses().size() != 1 || add.uses()[0].user == nullptr) return false;
  const Node& user = *add.uses()[0].user;
  return user.op() == OpKind::add && user.type() == add.type();
}

/// What the sums that end in this one add up, in order.
std::vector<Value> summands_of(const Node& sum) {
  std::vector<Value> summands;
  std::vector<Value> open(sum.operands().rbegin(), sum.operands().rend());
  while (!open.empty()) {
    const Value next = open.back();
    open.pop_back();
    const Node& node = *next.node;
    if (node.op() == OpKind::add && node.type() == sum.type() && node.uses().size() == 1) {
      open.insert(open.end(), node.operands().rbegin(), node.operands().rend());
    } else {
      summands.push_back(next);
    }
  }
  return summands;
}

/// a^T b + c^T d = [a; c]^T [b; d], where to join the operands moves less than to store and add the
/// products: so come gradients of the weights of a recurrent network.
Value sum_of_products(const Node& node, RuleBuilder& build) {
  if (!is_float(node.type().dtype) || node.type().shape.ndim() != 2) return {};
  if (is_added_to_more(node)) return {};
  std::vector<Value> others = summands_of(node);
  const auto rest = std::ranges::stable_partition(others, std::not_fn(sums_over_rows));
  std::vector<Value> products(rest.begin(), rest.end());
  others.erase(rest.begin(), rest.end());
  if (products.size() < 2) return {};
  int64_t joined = 0;
  for (const Value product : products)
    for (const Value operand : product.node->operands())
      joined += operand.type().shape.numel();
  const auto added = node.type().numel() * static_cast<int64_t>(products.size() - 1);
  if (2 * joined > added) return {};

  // In the order of the values that they meet, in which other sums join them as well.
  std::ranges::sort(
      products, {}, [](Value product) { return product.node->operand(1).node->id(); });
  const auto join = [&](size_t side) {
    std::vector<Value> parts;
    for (const Value product : products)
      parts.push_back(product.node->operand(side));
    return build.op(OpKind::concat, std::move(parts), {{"axis", int64_t{0}}});
  };
  Value sum = build.op(OpKind::matmul, {join(0), join(1)}, {{"transpose_lhs", true}});
  for (const Value other : others)
    sum = build.op(OpKind::add, {sum, other});
  return sum;
}

/// What is summed up over its rows to give the value; none where it comes another way.
Value rows_of_sum(Value value) {
  if (value.node->uses().size() != 1) return {};
  const Node* sum = value.node;
  if (sum->op() == OpKind::reshape) sum = sum->operand(0).node;
  if (sum->op() != OpKind::reduce_sum || sum->uses().size() != 1) return {};
  const Value rows = sum->operand(0);
  const bool is_matrix = rows.type().shape.ndim() == 2 && rows.type().dtype == value.type().dtype;
  return is_matrix && sum->attributes().integers("axes") == std::vector<int64_t>{0} ? rows
                                                                                    : Value{};
}

std::vector<Value> sorted(std::span<const Value> values) {
  std::vector<Value> result(values.begin(), values.end());
  std::ranges::sort(
      result, {}, [](Value value) { return std::pair(value.node->id(), value.index); });
  return result;
}

/// That joins just these values by their rows; null where nothing does.
const Node* find_joined(const std::vector<Value>& parts) {
  const std::vector<Value> wanted = sorted(parts);
  const auto joins = [&](const ir::Use& use) {
    const Node* user = use.user;
    return user != nullptr && user->op() == OpKind::concat &&
           user->attributes().integer("axis", 0) == 0 && user->operands().size() == wanted.size() &&
           sorted(user->operands()) == wanted;
  };
  const auto& uses = parts[0].node->uses();
  const auto found = std::ranges::find_if(uses, joins);
  return found == uses.end() ? nullptr : found->user;
}

/// sum(a, 0) + sum(b, 0) = sum([a; b], 0), where those are joined anyway: so come gradients of the
/// biases of a recurrent network beside those of its weights.
Value sum_of_sums(const Node& node, RuleBuilder& build) {
  if (!is_float(node.type().dtype) || is_added_to_more(node)) return {};
  std::vector<Value> parts;
  std::vector<Value> others;
  for (const Value summand : summands_of(node)) {
    const Value rows = rows_of_sum(summand);
    rows.node == nullptr ? others.push_back(summand) : parts.push_back(rows);
  }
  if (parts.size() < 2) return {};
  const Node* joined = find_joined(parts);
  if (joined == nullptr) return {};
  const std::vector<Value> operands(joined->operands().begin(), joined->operands().end());
  Value sum = build.op(OpKind::concat, operands, {{"axis", int64_t{0}}});  // cse keeps one
  sum = build.op(OpKind::reduce_sum, {sum}, {{"axes", std::vector<int64_t>{0}}});
  sum = build.reshape(sum, node.type().shape);
  for (const Value other : others)
    sum = build.op(OpKind::add, {sum, other});
  return sum;
}

const Rule kSummandRules[] = {
    {"sum-of-products", OpKind::add, sum_of_products},
    {"sum-of-sums", OpKind::add, sum_of_sums},
};

}  // namespace

std::span<const Rule> summand_rules() {
  return kSummandRules;
}

}  // namespace wick::passes
