#include "wick/ir/structural_hash.h"

#include <algorithm>

namespace wick::ir {
namespace {

Hash128 own_hash(const Node& node) {
  Hash128 hash{static_cast<uint64_t>(node.op()), static_cast<uint64_t>(node.num_operands())};
  hash = combine(hash, node.attributes().hash());
  for (int i = 0; i < node.num_results(); ++i) {
    hash = combine(hash, hash_of(node.type(i)));
  }
  // Recursive in the nesting of fusions only, which the verifier keeps at one.
  if (node.body() != nullptr) hash = combine(hash, structural_hash(*node.body()));
  return hash;
}

size_t slot(const Value& value) {
  return static_cast<size_t>(value.node->id());
}

}  // namespace

Hash128 hash_of(const Type& type) {
  Hash128 hash{static_cast<uint64_t>(type.dtype), static_cast<uint64_t>(type.shape.ndim())};
  for (const int64_t extent : type.shape) {
    hash = combine(hash, static_cast<uint64_t>(extent));
  }
  return hash;
}

Hash128 structural_hash(const Graph& graph) {
  std::vector<uint64_t> positions(static_cast<size_t>(graph.id_bound()));
  uint64_t position = 0;
  Hash128 hash{graph.parameters().size(), graph.results().size()};
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    positions[static_cast<size_t>(node->id())] = position++;
    hash = combine(hash, own_hash(*node));
    for (const Value& operand : node->operands()) {
      hash = combine(hash, Hash128{positions[slot(operand)], static_cast<uint64_t>(operand.index)});
    }
  }
  for (const Value& result : graph.results()) {
    hash = combine(hash, Hash128{positions[slot(result)], static_cast<uint64_t>(result.index)});
  }
  return hash;
}

std::vector<Hash128> expression_hashes(const Graph& graph) {
  std::vector<Hash128> hashes(static_cast<size_t>(graph.id_bound()));
  std::vector<Hash128> operands;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    operands.clear();
    for (const Value& operand : node->operands()) {
      operands.push_back(combine(hashes[slot(operand)], static_cast<uint64_t>(operand.index)));
    }
    if (has(node->op(), kCommutative)) std::ranges::sort(operands);
    Hash128 hash = own_hash(*node);
    for (const Hash128& operand : operands) {
      hash = combine(hash, operand);
    }
    hashes[static_cast<size_t>(node->id())] = hash;
  }
  return hashes;
}

}  // namespace wick::ir
