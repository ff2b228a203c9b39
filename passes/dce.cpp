#include "wick/passes/dce.h"

namespace wick::passes {

namespace {

class Dce final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "dce"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const int64_t erased = erase_dead_nodes(graph);
    context.count("erased", erased);
    return erased > 0;
  }
};

}  // namespace

int64_t erase_dead_nodes(ir::Graph& graph) {
  // Users come later in the order, so one backward walk sees every node after its last user.
  int64_t erased = 0;
  for (ir::Node* node = graph.last(); node != nullptr;) {
    ir::Node* previous = node->previous();
    if (node->op() != ir::OpKind::parameter && !node->has_uses()) {
      graph.erase(node);
      ++erased;
    }
    node = previous;
  }
  return erased;
}

PassInfo dce_pass_info() {
  return {.name = "dce",
          .summary = "erase nodes whose results nobody reads",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<Dce>(); }};
}

}  // namespace wick::passes
