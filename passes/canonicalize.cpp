#include "wick/passes/canonicalize.h"

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;

RuleSet make_rules() {
  RuleSet rules;
  for (const auto& table : {arithmetic_rules(),
                            logic_rules(),
                            cast_rules(),
                            movement_rules(),
                            reduction_rules(),
                            contraction_rules()}) {
    for (const Rule& rule : table)
      rules.add(rule);
  }
  for (const TraitRule& rule : elementwise_rules())
    rules.add(rule);
  return rules;
}

const RuleSet& rules() {
  static const RuleSet set = make_rules();
  return set;
}

/// Drops flags that say what their absence says, so that equal nodes look equal.
int64_t drop_default_flags(const ir::Graph& graph) {
  int64_t dropped = 0;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == ir::OpKind::custom) continue;  // what its flags mean is not known
    std::vector<std::string> unset;
    for (const auto& [name, value] : node->attributes().entries()) {
      const bool* flag = std::get_if<bool>(&value);
      if (flag != nullptr && !*flag) unset.push_back(name);
    }
    for (const std::string& name : unset) {
      node->attributes().erase(name);
    }
    dropped += static_cast<int64_t>(unset.size());
  }
  return dropped;
}

class Canonicalize final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "canonicalize"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const int64_t dropped = drop_default_flags(graph);
    const bool simplified = apply_rules(graph, rules(), context);
    const int64_t ordered = order_commutative_operands(graph);
    context.count("operands-ordered", ordered);
    return dropped > 0 || simplified || ordered > 0;
  }
};

}  // namespace

PassInfo canonicalize_pass_info() {
  return {.name = "canonicalize",
          .summary = "simplify algebraically and bring equivalent code to one form",
          .options = {},
          .create = [](const PassOptions&) { return std::make_unique<Canonicalize>(); }};
}

}  // namespace wick::passes
