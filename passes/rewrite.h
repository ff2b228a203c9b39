#pragma once

// Local rewriting: rules that replace the value of one node, applied until none applies.
//
//     RuleSet rules;
//     rules.add({"square", OpKind::pow, [](const ir::Node& node, RuleBuilder& build) -> ir::Value {
//       if (!is_splat(node.operand(1), 2)) return {};
//       return build.op(OpKind::mul, {build.spread(node.operand(0)), node.operand(0)});
//     }});
//     bool changed = apply_rules(graph, rules, context);

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/passes/pass.h"

namespace wick::passes {

/// Makes the nodes of one rewrite, before the node that goes and with its location.
class RuleBuilder {
 public:
  explicit RuleBuilder(ir::Node& node) : node_(node) {}

  ir::Value op(ir::OpKind op, std::vector<ir::Value> operands, ir::Attributes attributes = {});
  ir::Value constant(Literal value);
  /// A rank-0 constant.
  ir::Value scalar(DType dtype, double value);
  /// x itself if it has the shape of the node that goes, else x broadcast to it.
  ir::Value spread(ir::Value x);
  /// x itself if it has this shape, else x reshaped to it.
  ir::Value reshape(ir::Value x, const Shape& shape);

  [[nodiscard]] std::span<ir::Node* const> made() const { return made_; }

 private:
  ir::Node& node_;
  std::vector<ir::Node*> made_;
};

/// Gives the value to use instead of the node's only result, or none where the rule does not apply;
/// then it must have made nothing.
using RuleFunction = std::function<ir::Value(const ir::Node& node, RuleBuilder& build)>;

struct Rule {
  std::string name;  // of its statistic
  ir::OpKind op;
  RuleFunction apply;
};

/// A rule for all ops of a trait.
struct TraitRule {
  std::string name;
  ir::OpTrait trait;
  RuleFunction apply;
};

class RuleSet {
 public:
  void add(const Rule& rule);
  void add(const TraitRule& rule);

  struct Entry {
    std::string name;
    RuleFunction apply;
  };

  /// In the order they were added, in which they are tried.
  [[nodiscard]] const std::vector<Entry>& of(ir::OpKind op) const {
    return by_op_[static_cast<size_t>(op)];
  }

 private:
  std::array<std::vector<Entry>, ir::kNumOps> by_op_;
};

/// Applies the rules to every node and again around each rewrite, until none applies; true when
/// one did. Counts the uses of each rule in the context's statistics.
bool apply_rules(ir::Graph& graph, const RuleSet& rules, PassContext& context);

}  // namespace wick::passes
