#include "wick/passes/structural_equality.h"

#include <algorithm>

namespace wick::passes {

namespace {

/// Number of each node in list order, by id.
std::vector<int> positions(const ir::Graph& graph) {
  std::vector<int> by_id(static_cast<size_t>(graph.id_bound()), -1);
  int position = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    by_id[static_cast<size_t>(node->id())] = position++;
  }
  return by_id;
}

}  // namespace

bool structurally_equal(const ir::Graph& a, const ir::Graph& b) {
  if (a.num_nodes() != b.num_nodes() || a.parameters().size() != b.parameters().size()) {
    return false;
  }
  const std::vector<int> in_a = positions(a);
  const std::vector<int> in_b = positions(b);
  const auto same_value = [&](const ir::Value& x, const ir::Value& y) {
    return x.index == y.index &&
           in_a[static_cast<size_t>(x.node->id())] == in_b[static_cast<size_t>(y.node->id())];
  };
  const ir::Node* y = b.first();
  for (const ir::Node* x = a.first(); x != nullptr; x = x->next(), y = y->next()) {
    if (x->op() != y->op() || x->num_results() != y->num_results() ||
        x->attributes() != y->attributes() || x->body() != nullptr || y->body() != nullptr ||
        !std::ranges::equal(x->operands(), y->operands(), same_value)) {
      return false;
    }
    for (int i = 0; i < x->num_results(); ++i) {
      if (x->type(i) != y->type(i)) return false;
    }
  }
  return std::ranges::equal(a.results(), b.results(), same_value);
}

}  // namespace wick::passes
