#include <algorithm>
#include <utility>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

bool reduces_only_units(const Node& node) {
  const Shape& shape = node.operand(0).type().shape;
  return std::ranges::all_of(node.attributes().integers("axes"),
                             [&](int64_t axis) { return shape[static_cast<int>(axis)] == 1; });
}

/// Each result is one element. This alone may change bits: a sum that starts from +0 turns -0 to
/// +0, the element by itself stays -0, as NumPy has it.
Value reduce_of_units(const Node& node, RuleBuilder& build) {
  if (!reduces_only_units(node)) return {};
  return build.reshape(node.operand(0), node.type().shape);
}

Value position_of_units(const Node& node, RuleBuilder& build) {
  if (!reduces_only_units(node)) return {};
  return build.spread(build.scalar(DType::i64, 0));
}

/// Axes of the inner reduction's operand that both reductions together reduce.
Integers joined_axes(const Node& inner, const Node& outer) {
  const Integers& first = inner.attributes().integers("axes");
  Integers left;  // axes of the operand that the outer reduction sees, in order
  for (int64_t axis = 0; axis < inner.operand(0).type().shape.ndim(); ++axis) {
    const bool reduced = std::ranges::find(first, axis) != first.end();
    if (!reduced || inner.attributes().flag("keepdims")) {
      left.push_back(axis);
    }
  }
  Integers axes = first;
  for (const int64_t axis : outer.attributes().integers("axes")) {
    axes.push_back(left[static_cast<size_t>(axis)]);
  }
  std::ranges::sort(axes);
  const auto duplicates = std::ranges::unique(axes);
  axes.erase(duplicates.begin(), duplicates.end());
  return axes;
}

/// For sums of floats this rounds once less.
Value reduce_of_reduce(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), node.op());
  if (inner == nullptr || inner->uses().size() != 1) return {};
  ir::Attributes attributes = node.attributes();
  attributes.set("axes", joined_axes(*inner, node));
  const Value all = build.op(node.op(), {inner->operand(0)}, std::move(attributes));
  return build.reshape(all, node.type().shape);
}

const Rule kReductionRules[] = {
    {"reduce-of-units", OpKind::reduce_sum, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_prod, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_max, reduce_of_units},
    {"reduce-of-units", OpKind::reduce_min, reduce_of_units},
    {"position-of-units", OpKind::argmax, position_of_units},
    {"reduce-of-reduce", OpKind::reduce_sum, reduce_of_reduce},
    {"reduce-of-reduce", OpKind::reduce_max, reduce_of_reduce},
    {"reduce-of-reduce", OpKind::reduce_min, reduce_of_reduce},
};

}  // namespace

std::span<const Rule> reduction_rules() {
  return kReductionRules;
}

}  // namespace wick::passes
