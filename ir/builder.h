#pragma once

// Short spellings for making nodes; each call infers its result type and inserts before one node.

#include "wick/ir/graph.h"

namespace wick::ir {

class Builder {
 public:
  /// Appends to the graph.
  explicit Builder(Graph& graph, Location location = {}) : graph_(graph), location_(location) {}

  /// Inserts before `before`, with its location.
  explicit Builder(Node& before)
      : graph_(before.graph()),
        location_(before.location()),
        before_(&before) {}

  Value op(OpKind op, std::vector<Value> operands, Attributes attributes = {}) {
    return graph_.add(op, std::move(operands), std::move(attributes), location_, before_)->result();
  }

  /// A registered op (wick/ir/custom_op.h).
  Value custom(std::string_view name, std::vector<Value> operands, Attributes attributes = {}) {
    attributes.set("op", std::string(name));
    return op(OpKind::custom, std::move(operands), std::move(attributes));
  }

  Value constant(Literal value) {
    return graph_.add_constant(std::move(value), location_, before_)->result();
  }

  /// A rank-0 constant.
  Value scalar(DType dtype, double value) { return constant(Literal::scalar(dtype, value)); }

 private:
  Graph& graph_;
  Location location_;
  Node* before_ = nullptr;
};

}  // namespace wick::ir
