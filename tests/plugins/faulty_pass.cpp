// A plug-in with a pass that miscompiles when WICK_TEST_FAULT=1: what bisection and reduction are
// tested on.

#include <cstdlib>
#include <memory>
#include <string_view>

#include "wick/ir/builder.h"
#include "wick/passes/extension_points.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/plugin.h"

namespace {

using wick::ir::Node;
using wick::ir::OpKind;

/// Takes `where(x <= 0, 0, x)` of images whose width is a multiple of 4 for |x|.
class FaultyRelu final : public wick::passes::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "faulty-relu"; }

  bool run(wick::ir::Graph& graph, wick::passes::PassContext& /*context*/) override {
    const char* wanted = std::getenv("WICK_TEST_FAULT");
    if (wanted == nullptr || std::string_view(wanted) != "1") return false;
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!is_relu_of_wide_image(*node)) continue;
      const auto wrong = wick::ir::Builder(*node).op(OpKind::abs, {node->operand(2)});
      graph.replace_all_uses(node->result(), wrong);
      changed = true;
    }
    return changed;
  }

 private:
  static bool is_relu_of_wide_image(const Node& node) {
    if (node.op() != OpKind::where || node.type().shape.ndim() != 4) return false;
    const Node* condition = node.operand(0).node;
    return condition->op() == OpKind::le && condition->operand(0) == node.operand(2) &&
           node.operand(1).node->op() == OpKind::constant && node.type().shape[3] % 4 == 0;
  }
};

}  // namespace

WICK_PLUGIN("faulty-pass", "1.0") {
  wick::passes::PassRegistry::instance().add(
      {.name = "faulty-relu",
       .summary = "a miscompilation to search for",
       .options = {},
       .create = [](const wick::passes::PassOptions&) { return std::make_unique<FaultyRelu>(); }});
  wick::passes::extend_pipeline("before-fusion", "faulty-relu");
}
