#pragma once

// The rules of the canonicalizer: rows of tables, one table a family of ops. Internal to passes/.

#include <span>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"

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
using RuleFunction = ir::Value (*)(const ir::Node& node, RuleBuilder& build);

struct Rule {
  std::string_view name;  // of its statistic
  ir::OpKind op;
  RuleFunction apply;
};

/// A rule for all ops of a trait; tried after the rules of the op itself.
struct TraitRule {
  std::string_view name;
  ir::OpTrait trait;
  RuleFunction apply;
};

std::span<const Rule> arithmetic_rules();
std::span<const Rule> logic_rules();
std::span<const Rule> cast_rules();
std::span<const Rule> movement_rules();
std::span<const Rule> reduction_rules();
std::span<const Rule> contraction_rules();
std::span<const TraitRule> elementwise_rules();

/// Puts the operands of commutative ops in an order that depends on their expressions alone,
/// constants last. Returns how many nodes changed.
int64_t order_commutative_operands(ir::Graph& graph);

/// The value's producer if it is of this op, else null.
inline const ir::Node* producer(ir::Value value, ir::OpKind op) {
  return value.node->op() == op ? value.node : nullptr;
}

}  // namespace wick::passes
