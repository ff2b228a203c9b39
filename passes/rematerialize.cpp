#include "wick/passes/rematerialize.h"

#include <map>

#include <fmt/format.h>

#include "wick/passes/buffer_place.h"
#include "wick/passes/dce.h"
#include "wick/passes/idle_gaps.h"
#include "wick/passes/pass_options.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::Value;

class Rematerialize final : public Pass {
 public:
  explicit Rematerialize(IdleGapLimits limits) : limits_(limits) {}

  [[nodiscard]] std::string_view name() const override { return "rematerialize"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    const std::vector<IdleGap> gaps = find_idle_gaps(graph, limits_);
    if (gaps.empty()) return false;
    positions_.clear();
    const std::vector<Node*> nodes = graph.nodes();
    for (size_t i = 0; i < nodes.size(); ++i)
      positions_[nodes[i]] = static_cast<int>(i);
    for (const IdleGap& gap : gaps) {
      Node* before = nodes[static_cast<size_t>(gap.end)];
      fill(graph, gap, before);
      context.count("values");
      context.count("bytes", static_cast<int64_t>(gap.value.type().num_bytes()));
      if (context.wants_remarks()) explain(context, gap, *before);
    }
    erase_dead_nodes(graph);  // views that nobody reads would count as readers
    return true;
  }

 private:
  void fill(ir::Graph& graph, const IdleGap& gap, Node* before) {
    ir::Attributes attributes;
    attributes.set("kind", std::string(holds_reduction(*gap.recipe->body) ? "row" : "loop"));
    std::vector<Value> operands = gap.recipe->operands;
    if (gap.product) {
      const auto product = std::ranges::find(operands, gap.product);
      *product = multiply_again(graph, gap.product, gap.end, before);
      attributes.set("in_place", std::vector<int64_t>{product - operands.begin()});
    }
    Node* again = graph.add_fusion(std::move(operands),
                                   gap.recipe->body->clone(),
                                   attributes,
                                   gap.value.node->location(),
                                   before);
    positions_[again] = gap.end;
    redirect(graph, gap.value, again->result(), gap.end, before);
  }

  /// A matmul, seen through the same reshapes.
  Value multiply_again(ir::Graph& graph, Value product, int position, Node* before) {
    const Node& node = *product.node;
    std::vector<Value> operands(node.operands().begin(), node.operands().end());
    if (node.op() == ir::OpKind::reshape)
      operands[0] = multiply_again(graph, operands[0], position, before);
    Node* again =
        graph.add(node.op(), std::move(operands), node.attributes(), node.location(), before);
    positions_[again] = position;
    return again->result();
  }

  /// What reads `old`, or a view of it, from a position on reads `fresh`.
  void redirect(ir::Graph& graph, Value old, Value fresh, int from, Node* before) {
    for (const ir::Use& use : old.node->uses_of(old.index)) {
      if (use.user == fresh.node) continue;
      if (is_alias(*use.user)) {
        Node* view = graph.add(
            use.user->op(), {fresh}, use.user->attributes(), use.user->location(), before);
        redirect(graph, use.user->result(), view->result(), from, before);
      } else if (positions_.at(use.user) >= from) {
        graph.set_operand(use.user, use.operand, fresh);
      }
    }
  }

  static bool holds_reduction(const ir::Graph& body) {
    for (const Node* node = body.first(); node != nullptr; node = node->next()) {
      if (ir::has(node->op(), ir::kReduction)) return true;
    }
    return false;
  }

  void explain(PassContext& context, const IdleGap& gap, const Node& reader) const {
    context.remark({.pass = std::string(name()),
                    .code = "rematerialized",
                    .where = gap.value.node->location(),
                    .other = reader.location(),
                    .text = fmt::format("{} is computed again{} for later readers, which moves {} "
                                        "bytes, rather than kept while memory is short",
                                        gap.value.type(),
                                        gap.product ? ", its product included," : "",
                                        gap.moved_bytes)});
  }

  IdleGapLimits limits_;
  std::map<const Node*, int> positions_;
};

}  // namespace

PassInfo rematerialize_pass_info() {
  const IdleGapLimits limits;
  return {.name = "rematerialize",
          .summary = "compute values again that would be idle where the most memory is in use",
          .options = {{"min-bytes", std::to_string(limits.min_bytes)},
                      {"max-moved", std::to_string(limits.max_moved)},
                      {"max-with-product", std::to_string(limits.max_with_product)}},
          .create = [](const PassOptions& options) {
            IdleGapLimits limits;
            limits.min_bytes = integer_option(options, "min-bytes", limits.min_bytes, 1);
            limits.max_moved = integer_option(options, "max-moved", limits.max_moved, 1);
            limits.max_with_product =
                integer_option(options, "max-with-product", limits.max_with_product, 1);
            return std::make_unique<Rematerialize>(limits);
          }};
}

}  // namespace wick::passes
