#include <algorithm>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

Value constant_to_right(const Node& node, RuleBuilder& build) {
  const bool applies = ir::has(node.op(), ir::kCommutative) && is_constant(node.operand(0)) &&
                       !is_constant(node.operand(1));
  if (!applies) return {};
  return build.op(node.op(), {node.operand(1), node.operand(0)}, node.attributes());
}

/// Elementwise ops repeat their operands as NumPy does, without a broadcast or a reshape that adds
/// leading axes.
bool adds_leading_units(const Node& reshape) {
  const auto source = reshape.operand(0).type().shape.extents();
  const auto result = reshape.type().shape.extents();
  if (source.size() >= result.size()) return false;
  const auto added = result.first(result.size() - source.size());
  return std::ranges::all_of(added, [](int64_t extent) { return extent == 1; }) &&
         std::ranges::equal(source, result.last(source.size()));
}

/// The operands without explicit broadcasts, and without added leading axes if `reshapes`.
std::vector<Value> bare_operands(const Node& node, bool reshapes) {
  std::vector<Value> operands(node.operands().begin(), node.operands().end());
  for (Value& operand : operands) {
    const Node& producer = *operand.node;
    if (producer.op() == OpKind::broadcast ||
        (reshapes && producer.op() == OpKind::reshape && adds_leading_units(producer))) {
      operand = producer.operand(0);
    }
  }
  return operands;
}

Shape joined_shape(std::span<const Value> operands) {
  Shape shape;
  for (const Value& operand : operands) {
    // They broadcast: the larger shapes that they were broadcast to did.
    shape = *broadcast_shapes(shape, operand.type().shape);
  }
  return shape;
}

Value implicit_broadcast(const Node& node, RuleBuilder& build) {
  for (const bool reshapes : {true, false}) {
    std::vector<Value> operands = bare_operands(node, reshapes);
    if (std::ranges::equal(operands, node.operands())) continue;
    if (joined_shape(operands) == node.type().shape) {
      return build.op(node.op(), std::move(operands), node.attributes());
    }
  }
  return {};
}

/// f(broadcast(x)) is broadcast(f(x)), which computes f less often.
Value broadcast_later(const Node& node, RuleBuilder& build) {
  std::vector<Value> operands = bare_operands(node, false);
  if (std::ranges::equal(operands, node.operands()) ||
      joined_shape(operands).numel() >= node.type().numel()) {
    return {};
  }
  return build.spread(build.op(node.op(), std::move(operands), node.attributes()));
}

const TraitRule kElementwiseRules[] = {
    {"constant-to-right", ir::kElementwise, constant_to_right},
    {"implicit-broadcast", ir::kElementwise, implicit_broadcast},
    {"broadcast-later", ir::kElementwise, broadcast_later},
};

}  // namespace

std::span<const TraitRule> elementwise_rules() {
  return kElementwiseRules;
}

}  // namespace wick::passes
