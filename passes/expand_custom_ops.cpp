#include "wick/passes/expand_custom_ops.h"

#include "wick/ir/custom_op.h"

namespace wick::passes {

namespace {

class ExpandCustomOps final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "expand-custom-ops"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const int64_t expanded = ir::expand_custom_ops(graph);
    context.count("expanded", expanded);
    return expanded > 0;
  }
};

}  // namespace

PassInfo expand_custom_ops_pass_info() {
  return {.name = "expand-custom-ops",
          .summary = "replace plug-in ops by the ops they are made of, where they say so",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<ExpandCustomOps>(); }};
}

}  // namespace wick::passes
