#include <algorithm>
#include <tuple>

#include "wick/ir/structural_hash.h"
#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

int64_t order_commutative_operands(ir::Graph& graph) {
  const std::vector<Hash128> hashes = ir::expression_hashes(graph);
  std::vector<int> positions(static_cast<size_t>(graph.id_bound()));
  int position = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    positions[static_cast<size_t>(node->id())] = position++;
  }
  // Expressions of one form over different leaves tie; the order of computation decides then.
  const auto key = [&](const ir::Value& value) {
    const auto id = static_cast<size_t>(value.node->id());
    return std::tuple(is_constant(value), hashes[id], positions[id], value.index);
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
