#include "wick/passes/canonicalize.h"

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

RuleSet make_rules() {
  RuleSet rules;
  for (const auto& table : {arithmetic_rules(),
                            exponential_rules(),
                            gather_rules(),
                            logic_rules(),
                            cast_rules(),
                            movement_rules(),
                            pad_rules(),
                            concat_rules(),
                            reduction_rules(),
                            contraction_rules(),
                            summand_rules(),
                            diagonal_rules(),
                            pooling_rules(),
                            sort_rules()}) {
    for (const Rule& rule : table)
      rules.add(rule);
  }
  for (const auto& table : {elementwise_rules(), part_rules()}) {
    for (const TraitRule& rule : table)
      rules.add(rule);
  }
  return rules;
}

const RuleSet& rules() {
  static const RuleSet set = make_rules();
  return set;
}

class Canonicalize final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "canonicalize"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const bool simplified = apply_rules(graph, rules(), context);
    const int64_t ordered = order_commutative_operands(graph);
    context.count("operands-ordered", ordered);
    const int64_t masks = read_masks_from_clamps(graph);
    context.count("masks-of-clamps", masks);
    const int64_t sums = split_waiting_sums(graph);
    context.count("sums-split", sums);
    return simplified || ordered > 0 || masks > 0 || sums > 0;
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
