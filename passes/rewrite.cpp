#include "wick/passes/rewrite.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace wick::passes {

ir::Value RuleBuilder::op(ir::OpKind op,
                          std::vector<ir::Value> operands,
                          ir::Attributes attributes) {
  made_.push_back(
      node_.graph().add(op, std::move(operands), std::move(attributes), node_.location(), &node_));
  return made_.back()->result();
}

ir::Value RuleBuilder::constant(Literal value) {
  return op(ir::OpKind::constant, {}, {{"value", std::move(value)}});
}

ir::Value RuleBuilder::scalar(DType dtype, double value) {
  return constant(Literal::scalar(dtype, value));
}

ir::Value RuleBuilder::spread(ir::Value x) {
  const Shape& shape = node_.type().shape;
  if (x.type().shape == shape) return x;
  return op(ir::OpKind::broadcast, {x}, {{"shape", Axes(shape.begin(), shape.end())}});
}

ir::Value RuleBuilder::reshape(ir::Value x, const Shape& shape) {
  if (x.type().shape == shape) return x;
  return op(ir::OpKind::reshape, {x}, {{"shape", Axes(shape.begin(), shape.end())}});
}

void RuleSet::add(const Rule& rule) {
  by_op_[static_cast<size_t>(rule.op)].push_back({rule.name, rule.apply});
}

void RuleSet::add(const TraitRule& rule) {
  for (size_t op = 0; op < by_op_.size(); ++op) {
    if (ir::has(static_cast<ir::OpKind>(op), rule.trait)) {
      by_op_[op].push_back({rule.name, rule.apply});
    }
  }
}

namespace {

using ir::Node;

/// Applies rules to the nodes of a worklist until none applies. Each rewrite puts back only the
/// nodes around it, so the work is linear in the graph and the rewrites.
class Rewriter {
 public:
  Rewriter(ir::Graph& graph, const RuleSet& rules, PassContext& context)
      : graph_(graph),
        rules_(rules),
        context_(context) {
    nodes_.resize(static_cast<size_t>(graph.id_bound()));
    for (Node* node : graph.nodes()) {
      nodes_[static_cast<size_t>(node->id())] = {.node = node, .queued = false};
      push(node);
    }
    // Rules make graphs smaller or more regular; the bound only turns a pair of rules that undo
    // each other into a missed simplification.
    rewrites_left_ = int64_t{32} * graph.num_nodes() + 256;
  }

  bool run() {
    bool changed = false;
    while (!queue_.empty() && rewrites_left_ > 0) {
      const size_t id = queue_.front();
      queue_.pop_front();
      nodes_[id].queued = false;
      if (nodes_[id].node != nullptr) {
        changed |= visit(*nodes_[id].node);
      }
    }
    return changed;
  }

 private:
  struct Slot {
    Node* node = nullptr;  // null once erased
    bool queued = false;
  };

  void push(Node* node) {
    const auto id = static_cast<size_t>(node->id());
    if (id >= nodes_.size()) {
      nodes_.resize(id + 1);
    }
    nodes_[id].node = node;
    if (!std::exchange(nodes_[id].queued, true)) {
      queue_.push_back(id);
    }
  }

  bool visit(Node& node) {
    if (!node.has_uses() || node.op() == ir::OpKind::parameter) return false;
    for (const RuleSet::Entry& rule : rules_.of(node.op())) {
      RuleBuilder build(node);
      const ir::Value value = rule.apply(node, build);
      if (!value) continue;
      replace(node, value, build);
      context_.count(rule.name);
      --rewrites_left_;
      return true;
    }
    return false;
  }

  void replace(Node& node, ir::Value value, const RuleBuilder& build) {
    for (Node* made : build.made()) {
      push(made);
    }
    for (const ir::Use& use : node.uses()) {
      if (use.user != nullptr) push(use.user);
    }
    if (value.node->op() != ir::OpKind::parameter && value.node->name(value.index).empty() &&
        !node.name().empty()) {
      value.node->set_name(node.name(), value.index);
    }
    graph_.replace_all_uses(node.result(), value);
    erase_dead(node);
  }

  /// Erases the node and what it alone used. What another node alone uses now may match a rule that
  /// asks for a single use.
  void erase_dead(Node& start) {
    std::vector<Node*> dead = {&start};
    while (!dead.empty()) {
      Node* node = dead.back();
      dead.pop_back();
      const std::vector<Node*> producers = distinct_producers(*node);
      nodes_[static_cast<size_t>(node->id())].node = nullptr;
      graph_.erase(node);
      for (Node* producer : producers) {
        if (!producer->has_uses()) {
          dead.push_back(producer);
        } else if (producer->uses().size() == 1 && producer->uses()[0].user != nullptr) {
          push(producer->uses()[0].user);
        }
      }
    }
  }

  static std::vector<Node*> distinct_producers(const Node& node) {
    std::vector<Node*> producers;
    for (const ir::Value& operand : node.operands()) {
      if (operand.node->op() != ir::OpKind::parameter &&
          std::ranges::find(producers, operand.node) == producers.end()) {
        producers.push_back(operand.node);
      }
    }
    return producers;
  }

  ir::Graph& graph_;
  const RuleSet& rules_;
  PassContext& context_;
  std::vector<Slot> nodes_;   // by id
  std::deque<size_t> queue_;  // ids
  int64_t rewrites_left_ = 0;
};

}  // namespace

bool apply_rules(ir::Graph& graph, const RuleSet& rules, PassContext& context) {
  return Rewriter(graph, rules, context).run();
}

}  // namespace wick::passes
