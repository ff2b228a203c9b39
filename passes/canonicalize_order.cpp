#include <tuple>

#include "wick/passes/canonical_form.h"
#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

int64_t order_commutative_operands(ir::Graph& graph) {
  const std::vector<NearForms> keys = near_forms(graph);
  std::vector<int> positions(keys.size());
  int position = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    positions[static_cast<size_t>(node->id())] = position++;
  }
  // Values that play the same part tie; the order of computation decides then.
  const auto key = [&](const ir::Value& value) {
    const auto id = static_cast<size_t>(value.node->id());
    return std::tuple(is_constant(value), keys[id], positions[id], value.index);
  };
  int64_t changed = 0;
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!ir::has(node->op(), ir::kCommutative)) continue;
    const ir::Value lhs = node->operand(0);
    const ir::Value rhs = node->operand(1);
    if (key(rhs) < key(lhs)) {
      graph.set_operand(node, 0, rhs);
      graph.set_operand(node, 1, lhs);
      ++changed;
    }
  }
  return changed;
}

}  // namespace wick::passes
