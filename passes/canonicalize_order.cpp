#include <algorithm>
#include <tuple>

#include "wick/ir/structural_hash.h"
#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

/// Hash of each node's expression without extents, by Node::id: a new batch size must not reorder
/// operands, since that would make new kernels. Extents of 1 count, because they broadcast.
std::vector<Hash128> form_hashes(const ir::Graph& graph) {
  std::vector<Hash128> hashes(static_cast<size_t>(graph.id_bound()));
  std::vector<Hash128> operands;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const Type& type = node->type();
    uint64_t ones = 1;
    for (const int64_t extent : type.shape)
      ones = ones * 2 + (extent == 1 ? 1 : 0);
    Hash128 hash{static_cast<uint64_t>(node->op()), static_cast<uint64_t>(type.dtype)};
    hash = combine(hash, ones);
    operands.clear();
    for (const ir::Value& operand : node->operands()) {
      operands.push_back(hashes[static_cast<size_t>(operand.node->id())]);
    }
    if (ir::has(node->op(), ir::kCommutative)) std::ranges::sort(operands);
    for (const Hash128& operand : operands)
      hash = combine(hash, operand);
    hashes[static_cast<size_t>(node->id())] = hash;
  }
  return hashes;
}

}  // namespace

int64_t order_commutative_operands(ir::Graph& graph) {
  const std::vector<Hash128> forms = form_hashes(graph);
  const std::vector<Hash128> hashes = ir::expression_hashes(graph);
  std::vector<int> positions(static_cast<size_t>(graph.id_bound()));
  int position = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    positions[static_cast<size_t>(node->id())] = position++;
  }
  // Expressions of one form over different leaves tie; the order of computation decides then.
  const auto key = [&](const ir::Value& value) {
    const auto id = static_cast<size_t>(value.node->id());
    return std::tuple(is_constant(value), forms[id], hashes[id], positions[id], value.index);
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
