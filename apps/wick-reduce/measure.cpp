#include "measure.h"

#include <algorithm>

namespace wick::reduce {

namespace {

void add(const ir::Graph& graph, Measure& total) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    total.attributes += static_cast<int64_t>(node->attributes().entries().size());
    for (int i = 0; i < node->num_results(); ++i)
      total.elements += node->type(i).numel();
    switch (node->op()) {
      case ir::OpKind::fusion:
        ++total.fusions;
        add(*node->body(), total);  // NOLINT(misc-no-recursion): fusions nest one level deep
        break;
      case ir::OpKind::parameter:
        ++total.leaves;
        break;
      case ir::OpKind::constant:
        ++total.leaves;
        if (!is_splat(node->attributes().literal("value"))) ++total.dense_constants;
        break;
      default:
        ++total.ops;
    }
  }
  total.results += static_cast<int64_t>(graph.results().size());
}

}  // namespace

Measure measure(const ir::Graph& graph) {
  Measure total;
  add(graph, total);
  return total;
}

int64_t num_ops(const ir::Graph& graph) {
  const Measure total = measure(graph);
  return total.fusions + total.ops;
}

bool is_splat(const Literal& literal) {
  const auto bytes = literal.bytes();
  const size_t width = size_of(literal.type().dtype);
  // All elements are equal when each equals the next.
  return bytes.size() <= width ||
         std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end(), bytes.begin());
}

}  // namespace wick::reduce
