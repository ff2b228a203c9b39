#include "wick/passes/widen_half.h"

#include <algorithm>
#include <utility>

#include "wick/passes/rewrite.h"

namespace wick::passes {

namespace {

using ir::OpKind;
using ir::Value;

Value widened(const ir::Node& node, RuleBuilder& build) {
  std::vector<Value> operands;
  for (const Value operand : node.operands()) {
    const bool widen = is_half(operand.type().dtype);
    operands.push_back(widen ? build.op(OpKind::cast, {operand}, {{"dtype", DType::f32}})
                             : operand);
  }
  if (std::ranges::equal(operands, node.operands())) return {};
  const Value wide = build.op(node.op(), std::move(operands), node.attributes());
  const DType dtype = node.type().dtype;
  return is_half(dtype) ? build.op(OpKind::cast, {wide}, {{"dtype", dtype}}) : wide;
}

const RuleSet& rules() {
  static const RuleSet set = [] {
    RuleSet rules;
    for (const ir::OpTrait trait : {ir::kContraction, ir::kPooling})
      rules.add(TraitRule{"widened", trait, widened});
    return rules;
  }();
  return set;
}

class WidenHalf final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "widen-half"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    return apply_rules(graph, rules(), context);
  }
};

}  // namespace

PassInfo widen_half_pass_info() {
  return {.name = "widen-half",
          .summary = "compute contractions and pooling of half types in f32",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<WidenHalf>(); }};
}

}  // namespace wick::passes
