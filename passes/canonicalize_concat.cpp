// States that are joined and taken apart again: x' = f(x), y' = g(x, y), s' = s + h concat(x', y'),
// then slices of s' for the next step, as in solvers of differential equations. What is computed
// between the two is computed for each part instead, and the slices find their parts.

#include <algorithm>
#include <vector>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

constexpr int kMostParts = 8;
constexpr int kMostVisits = 24;

int axis_of(const Node& concat) {
  return static_cast<int>(concat.attributes().integer("axis", 0));
}

/// A part of the elements of a concat along its axis.
struct Part {
  int number = -1;  // of the operand; -1: none
  int64_t start = 0;
};

/// The operand of the concat that has all elements of the slice.
Part part_of(const Node& slice, const Node& concat) {
  const int axis = axis_of(concat);
  const auto at = static_cast<size_t>(axis);
  const int64_t count = slice.type().shape[axis];
  if (slice.type().numel() == 0) return {};
  const Integers& starts = slice.attributes().integers("starts");
  const Integers& steps = slice.attributes().integers("steps");
  const int64_t first = starts.empty() ? 0 : starts[at];
  const int64_t last = first + (count - 1) * (steps.empty() ? 1 : steps[at]);
  int64_t begin = 0;
  for (int i = 0; i < concat.num_operands(); ++i) {
    const int64_t end = begin + concat.operand(i).type().shape[axis];
    if (std::min(first, last) >= begin && std::max(first, last) < end) return {i, first - begin};
    begin = end;
  }
  return {};
}

Value slice_of_concat(const Node& node, RuleBuilder& build) {
  const Node* concat = producer(node.operand(0), OpKind::concat);
  if (concat == nullptr) return {};
  const Part part = part_of(node, *concat);
  if (part.number < 0) return {};
  ir::Attributes attributes = node.attributes();
  Integers starts = attributes.integers("starts");
  starts.resize(static_cast<size_t>(node.type().shape.ndim()));
  starts[static_cast<size_t>(axis_of(*concat))] = part.start;
  attributes.set("starts", std::move(starts));
  return build.op(OpKind::slice, {concat->operand(part.number)}, std::move(attributes));
}

/// Not a value that is only moved, as by roll.
bool joins_what_is_computed(const Node& concat) {
  return std::ranges::any_of(concat.operands(),
                             [](const Value& part) { return part.node->op() != OpKind::slice; });
}

bool is_elementwise_of_shape(const Node& node, const Shape& shape) {
  return has(node.op(), ir::kElementwise) && node.type().shape == shape;
}

/// Whether no op needs the elements of a concat side by side, but all compute with each.
bool is_taken_apart(const Node& concat) {
  return std::ranges::all_of(concat.uses(), [&](const ir::Use& use) {
    if (use.user == nullptr) return true;  // a result of the graph
    if (use.user->op() == OpKind::slice) return part_of(*use.user, concat).number >= 0;
    return is_elementwise_of_shape(*use.user, concat.type().shape);
  });
}

/// Whether elementwise ops lead from the node to a slice with elements of one part of the concat.
bool leads_to_part(const Node& node, const Node& concat) {
  std::vector<const Node*> pending = {&node};
  for (size_t i = 0; i < pending.size() && i < kMostVisits; ++i) {
    for (const ir::Use& use : pending[i]->uses()) {
      if (use.user == nullptr) continue;
      const Node& user = *use.user;
      if (user.op() == OpKind::slice && part_of(user, concat).number >= 0) return true;
      const bool goes_on = is_elementwise_of_shape(user, concat.type().shape) &&
                           std::ranges::find(pending, &user) == pending.end();
      if (goes_on) pending.push_back(&user);
    }
  }
  return false;
}

/// Part `number` of an operand that is broadcast to the concat's shape or has it.
Value part_of_operand(const Value& operand, const Node& concat, int number, RuleBuilder& build) {
  const Shape& shape = operand.type().shape;
  const int axis = axis_of(concat) - (concat.type().shape.ndim() - shape.ndim());
  if (axis < 0 || shape[axis] == 1) return operand;
  Integers starts(static_cast<size_t>(shape.ndim()));
  for (int i = 0; i < number; ++i)
    starts[static_cast<size_t>(axis)] += concat.operand(i).type().shape[axis_of(concat)];
  Integers sizes(shape.begin(), shape.end());
  sizes[static_cast<size_t>(axis)] = concat.operand(number).type().shape[axis_of(concat)];
  return build.op(
      OpKind::slice, {operand}, {{"sizes", std::move(sizes)}, {"starts", std::move(starts)}});
}

Value elementwise_of_concat(const Node& node, RuleBuilder& build) {
  const auto found = std::ranges::find_if(node.operands(), [&](const Value& operand) {
    return operand.node->op() == OpKind::concat && operand.type().shape == node.type().shape;
  });
  if (found == node.operands().end()) return {};
  const Node& concat = *found->node;
  const bool applies = concat.num_operands() <= kMostParts &&
                       concat.type().shape[axis_of(concat)] > 1 && joins_what_is_computed(concat) &&
                       is_taken_apart(concat) && leads_to_part(node, concat);
  if (!applies) return {};
  std::vector<Value> parts;
  for (int i = 0; i < concat.num_operands(); ++i) {
    std::vector<Value> operands;
    for (const Value& operand : node.operands())
      operands.push_back(operand.node == &concat ? concat.operand(i)
                                                 : part_of_operand(operand, concat, i, build));
    parts.push_back(build.op(node.op(), std::move(operands), node.attributes()));
  }
  return build.op(OpKind::concat, std::move(parts), concat.attributes());
}

const Rule kConcatRules[] = {{"slice-of-concat", OpKind::slice, slice_of_concat}};

const TraitRule kPartRules[] = {{"elementwise-of-concat", ir::kElementwise, elementwise_of_concat}};

}  // namespace

std::span<const Rule> concat_rules() {
  return kConcatRules;
}

std::span<const TraitRule> part_rules() {
  return kPartRules;
}

}  // namespace wick::passes
