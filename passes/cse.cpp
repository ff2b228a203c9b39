#include "wick/passes/cse.h"

#include <algorithm>
#include <unordered_map>

#include "wick/ir/structural_hash.h"
#include "wick/passes/structural_equality.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::Value;

bool comes_before(const Value& a, const Value& b) {
  return a.node->id() != b.node->id() ? a.node->id() < b.node->id() : a.index < b.index;
}

/// The operands, in an order that does not tell a + b from b + a.
std::vector<Value> comparable_operands(const Node& node) {
  std::vector<Value> operands(node.operands().begin(), node.operands().end());
  if (ir::has(node.op(), ir::kCommutative)) {
    std::ranges::sort(operands, comes_before);
  }
  return operands;
}

Hash128 hash_of(const Node& node) {
  Hash128 hash = combine(node.attributes().hash(), static_cast<uint64_t>(node.op()));
  for (int i = 0; i < node.num_results(); ++i) {
    hash = combine(hash, ir::hash_of(node.type(i)));
  }
  for (const Value& operand : comparable_operands(node)) {
    hash = combine(hash, static_cast<uint64_t>(operand.node->id()));
    hash = combine(hash, static_cast<uint64_t>(operand.index));
  }
  return node.body() == nullptr ? hash : combine(hash, ir::structural_hash(*node.body()));
}

bool same_computation(const Node& a, const Node& b) {
  if (a.op() != b.op() || a.num_results() != b.num_results() || a.attributes() != b.attributes() ||
      comparable_operands(a) != comparable_operands(b)) {
    return false;
  }
  for (int i = 0; i < a.num_results(); ++i) {
    if (a.type(i) != b.type(i)) return false;
  }
  return a.body() == nullptr || structurally_equal(*a.body(), *b.body());
}

/// A tensor filled with one number, as state that is to be trained begins. Whoever updates it later
/// does so in place only if it shares no memory.
bool is_filled_result(const Node& node) {
  return node.op() == ir::OpKind::broadcast && node.operand(0).type().numel() == 1 &&
         std::ranges::any_of(node.uses(), [](const ir::Use& use) { return use.user == nullptr; });
}

class Cse final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "cse"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    std::unordered_multimap<Hash128, Node*, HashOfHash128> seen;
    int64_t erased = 0;
    for (Node* node = graph.first(); node != nullptr;) {
      Node* next = node->next();
      if (node->op() != ir::OpKind::parameter) {
        const Hash128 hash = hash_of(*node);
        Node* first = find(seen, hash, *node);
        if (first == nullptr) {
          seen.emplace(hash, node);
        } else if (!is_filled_result(*first) || !is_filled_result(*node)) {
          replace(graph, *node, *first);
          ++erased;
        }
      }
      node = next;
    }
    context.count("erased", erased);
    return erased > 0;
  }

 private:
  static Node* find(const std::unordered_multimap<Hash128, Node*, HashOfHash128>& seen,
                    const Hash128& hash,
                    const Node& node) {
    // At most one of the entries is equal, so their order does not matter.
    const auto [begin, end] = seen.equal_range(hash);
    const auto entry =
        std::find_if(begin, end, [&](const auto& e) { return same_computation(*e.second, node); });
    return entry == end ? nullptr : entry->second;
  }

  static void replace(ir::Graph& graph, Node& node, Node& first) {
    for (int i = 0; i < node.num_results(); ++i) {
      graph.replace_all_uses(node.result(i), first.result(i));
      if (first.name(i).empty() && !node.name(i).empty()) {
        first.set_name(node.name(i), i);
      }
    }
    graph.erase(&node);
  }
};

}  // namespace

PassInfo cse_pass_info() {
  return {.name = "cse",
          .summary = "keep one of the nodes that compute the same value",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<Cse>(); }};
}

}  // namespace wick::passes
