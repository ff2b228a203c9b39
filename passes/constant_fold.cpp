#include "wick/passes/constant_fold.h"

#include <algorithm>

#include "wick/ir/interpreter.h"
#include "wick/passes/pass_options.h"

namespace wick::passes {

namespace {

using ir::Node;

constexpr int64_t kMaxResultElements = 1024;
/// Folding must stay cheap beside compiling.
constexpr int64_t kMaxOperandElements = 65536;

bool is_constant(const ir::Value& value) {
  return value.node->op() == ir::OpKind::constant;
}

class ConstantFold final : public Pass {
 public:
  explicit ConstantFold(int64_t max_elements) : max_elements_(max_elements) {}

  [[nodiscard]] std::string_view name() const override { return "constant-fold"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    int64_t folded = 0;
    for (Node* node : graph.nodes()) {
      if (!can_fold(*node)) continue;
      std::vector<const Literal*> operands;
      for (const ir::Value& operand : node->operands()) {
        operands.push_back(&operand.node->attributes().literal("value"));
      }
      Literal value = ir::interpret_op(node->op(), node->attributes(), operands, node->type());
      Node* constant = graph.add_constant(std::move(value), node->location(), node);
      constant->set_name(node->name());
      graph.replace_all_uses(node->result(), constant->result());
      graph.erase(node);
      ++folded;
    }
    context.count("folded", folded);
    return folded > 0;
  }

 private:
  [[nodiscard]] bool can_fold(const Node& node) const {
    if (node.num_operands() == 0 || ir::has(node.op(), ir::kStructure) ||
        ir::has(node.op(), ir::kRandom) || !std::ranges::all_of(node.operands(), is_constant)) {
      return false;
    }
    int64_t operand_elements = 0;
    for (const ir::Value& operand : node.operands()) {
      operand_elements += operand.type().numel();
    }
    // A broadcast of a constant costs nothing in a kernel, its elements written out do.
    const bool grows = node.op() == ir::OpKind::broadcast && node.type().numel() > operand_elements;
    return !grows && node.type().numel() <= max_elements_ &&
           operand_elements <= kMaxOperandElements;
  }

  int64_t max_elements_;
};

}  // namespace

PassInfo constant_fold_pass_info() {
  return {.name = "constant-fold",
          .summary = "compute ops whose operands are all small constants",
          .options = {{"max-elements", std::to_string(kMaxResultElements)}},
          .create = [](const PassOptions& options) -> std::unique_ptr<Pass> {
            return std::make_unique<ConstantFold>(
                integer_option(options, "max-elements", kMaxResultElements));
          }};
}

}  // namespace wick::passes
