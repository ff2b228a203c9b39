#include <vector>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// Large integers are compared by their doubles, which lose digits.
bool is_at_most(Value low, Value high) {
  if (low == high) return true;
  const auto least = splat_number(low);
  const auto most = splat_number(high);
  return is_float(high.type().dtype) && least && most && *least <= *most;
}

/// The mask of where(x <= c, d, x), d <= c, as ReLU is written; none if the node is no such clamp.
Value mask_of_clamp(const Node& node) {
  if (node.op() != OpKind::where) return {};
  const Node* mask = producer(node.operand(0), OpKind::le);
  const bool is_clamp = mask != nullptr && mask->operand(0) == node.operand(2) &&
                        mask->type().shape == node.type().shape &&
                        is_at_most(node.operand(1), mask->operand(1));
  return is_clamp ? node.operand(0) : Value{};
}

/// By id, where each node is in the list.
std::vector<int> positions_in(const ir::Graph& graph) {
  std::vector<int> positions(static_cast<size_t>(graph.id_bound()), -1);
  int position = 0;
  for (const Node* node = graph.first(); node != nullptr; node = node->next())
    positions[static_cast<size_t>(node->id())] = position++;
  return positions;
}

}  // namespace

int64_t read_masks_from_clamps(ir::Graph& graph) {
  std::vector<int> positions;  // by id, of nodes that were there before
  int64_t changed = 0;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    const Value mask = mask_of_clamp(*node);
    if (!mask) continue;
    if (positions.empty()) positions = positions_in(graph);
    const int own = positions[static_cast<size_t>(node->id())];
    Value of_result;
    for (const ir::Use& use : mask.node->uses_of(mask.index)) {
      if (use.user == nullptr || static_cast<size_t>(use.user->id()) >= positions.size()) continue;
      if (positions[static_cast<size_t>(use.user->id())] <= own) continue;
      if (!of_result) {
        of_result = graph
                        .add(OpKind::le,
                             {node->result(), mask.node->operand(1)},
                             {},
                             mask.node->location(),
                             node->next())
                        ->result();
      }
      graph.set_operand(use.user, use.operand, of_result);
      ++changed;
    }
  }
  return changed;
}

}  // namespace wick::passes
