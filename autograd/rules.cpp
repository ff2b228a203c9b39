#include "wick/autograd/rules.h"

#include "wick/tensor/node.h"
#include "wick/tensor/tensor.h"

namespace wick::autograd {
namespace {

using Table = std::array<GradientRow, ir::kNumOps>;

/// Barriers also stand between devices: the cotangent goes back to where the operand is.
Term barrier_gradient(const Step& step) {
  const std::optional<Device> device = step.operands[0].node()->device();
  if (!device || step.node.device() == device) return step.cotangent();
  return step.term(step.result_cotangent.to(*device, step.node.where()));
}

Table make_table() {
  Table table{};  // sources, random bits and structure have no operand that takes a gradient
  for (const auto rows : {unary_rules(),
                          binary_rules(),
                          reduction_rules(),
                          movement_rules(),
                          opaque_rules(),
                          contraction_rules(),
                          pooling_rules()}) {
    for (const GradientRow& row : rows)
      table[static_cast<size_t>(row.op)] = row;
  }
  table[static_cast<size_t>(ir::OpKind::barrier)] = {ir::OpKind::barrier, {barrier_gradient}};
  return table;
}

}  // namespace

Term Step::output() const {
  return term(Tensor(Ref<detail::Node>(const_cast<detail::Node*>(&node))));
}

Rule find_rule(ir::OpKind op, int operand) {
  static const Table table = make_table();
  const GradientRow& row = table[static_cast<size_t>(op)];
  // Operands of an op that takes any number share one rule.
  const bool variadic = ir::op_info(op).max_operands < 0;
  return row.rules[variadic ? 0 : static_cast<size_t>(operand)];
}

}  // namespace wick::autograd
