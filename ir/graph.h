#pragma once

// Graph IR: SSA values made by nodes, in an order that is always topological.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/attributes.h"
#include "wick/ir/op.h"

namespace wick::ir {

class Graph;
class Node;

/// One result of a node. Valid while its graph lives and the node is not erased.
struct Value {
  Node* node = nullptr;
  int index = 0;

  [[nodiscard]] const Type& type() const;

  explicit operator bool() const { return node != nullptr; }

  friend bool operator==(const Value&, const Value&) = default;
};

/// Operand `operand` of `user`, or result number `operand` of the graph when `user` is null.
struct Use {
  Node* user = nullptr;
  int operand = 0;
  friend bool operator==(const Use&, const Use&) = default;
};

/// An op in a graph. Made and changed only through its Graph, which keeps use lists in step.
class Node {
 public:
  [[nodiscard]] OpKind op() const { return op_; }

  [[nodiscard]] std::string_view op_name() const { return ir::op_name(op_, attributes_); }

  /// Unique in the graph and rising in order of creation: ties break by it.
  [[nodiscard]] int id() const { return id_; }

  [[nodiscard]] Graph& graph() const { return *graph_; }

  [[nodiscard]] std::span<const Value> operands() const { return operands_; }

  [[nodiscard]] int num_operands() const { return static_cast<int>(operands_.size()); }

  [[nodiscard]] Value operand(int i) const { return operands_[static_cast<size_t>(i)]; }

  [[nodiscard]] int num_results() const { return static_cast<int>(types_.size()); }

  [[nodiscard]] Value result(int i = 0) { return {this, i}; }

  [[nodiscard]] const Type& type(int i = 0) const { return types_[static_cast<size_t>(i)]; }

  [[nodiscard]] const Attributes& attributes() const { return attributes_; }

  [[nodiscard]] Attributes& attributes() { return attributes_; }

  [[nodiscard]] const Location& location() const { return location_; }

  void set_location(Location location) { location_ = location; }

  /// Name of result i for printing; empty: the printer numbers it.
  [[nodiscard]] const std::string& name(int i = 0) const;
  void set_name(std::string name, int i = 0);

  /// Body of a fusion, null for other ops. Its parameters stand for the operands in order, its
  /// results for the results.
  [[nodiscard]] Graph* body() const { return body_.get(); }

  /// Uses of all results, in no stated order. `result_of` tells which result a use reads.
  [[nodiscard]] std::span<const Use> uses() const { return uses_; }

  [[nodiscard]] bool has_uses() const { return !uses_.empty(); }

  /// Uses of result i.
  [[nodiscard]] std::vector<Use> uses_of(int i) const;

  [[nodiscard]] Node* next() const { return next_; }

  [[nodiscard]] Node* previous() const { return previous_; }

 private:
  friend class Graph;
  Node() = default;

  OpKind op_ = OpKind::parameter;
  int id_ = 0;
  Graph* graph_ = nullptr;
  std::vector<Value> operands_;
  std::vector<Type> types_;
  Attributes attributes_;
  Location location_;
  std::vector<std::string> names_;
  std::unique_ptr<Graph> body_;
  std::vector<Use> uses_;
  std::vector<size_t> use_slots_;  // of each operand: where its value lists this use
  Node* next_ = nullptr;
  Node* previous_ = nullptr;
};

/// Owns its nodes. Not thread-safe; const methods are.
class Graph {
 public:
  explicit Graph(std::string name = "main");
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  [[nodiscard]] const std::string& name() const { return name_; }

  void set_name(std::string name) { name_ = std::move(name); }

  /// A deep copy, with fresh ids in list order.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;

  // Making nodes. `before` null appends. Attributes at their defaults are dropped.

  /// Attributes in use: `scalar` (a rank-0 value passed by content, such as a learning rate),
  /// `donate` (its buffer dies with the run and may be reused).
  Node* add_parameter(Type type, std::string name = "", Attributes attributes = {});
  /// Result type inferred; throws Error as infer_type does.
  Node* add(OpKind op,
            std::vector<Value> operands,
            Attributes attributes = {},
            Location location = {},
            Node* before = nullptr);
  /// A custom op whose registration is not at hand: its type is taken as given.
  Node* add_unregistered(Type type,
                         std::vector<Value> operands,
                         Attributes attributes,
                         Location location = {},
                         Node* before = nullptr);
  /// A fusion of `body`, whose parameter types must equal the operands' types.
  Node* add_fusion(std::vector<Value> operands,
                   std::unique_ptr<Graph> body,
                   Attributes attributes = {},
                   Location location = {},
                   Node* before = nullptr);
  Node* add_constant(Literal value, Location location = {}, Node* before = nullptr);

  // Changing.

  void set_operand(Node* node, int operand, Value value);
  /// Every use of `from`, graph results included, reads `to` instead.
  void replace_all_uses(Value from, Value to);
  /// The node must have no uses.
  void erase(Node* node);
  void move_before(Node* node, Node* before);
  /// Removes a parameter without uses.
  void erase_parameter(int i);

  void set_results(std::vector<Value> results);
  void add_result(Value value);

  // Reading.

  [[nodiscard]] std::span<Node* const> parameters() const { return parameters_; }

  [[nodiscard]] std::span<const Value> results() const { return results_; }

  /// The first node in order, parameters first; follow Node::next.
  [[nodiscard]] Node* first() const { return first_; }

  [[nodiscard]] Node* last() const { return last_; }

  [[nodiscard]] int num_nodes() const { return num_nodes_; }

  /// Ids are below this: size of a table indexed by Node::id.
  [[nodiscard]] int id_bound() const { return next_id_; }

  /// A snapshot of the nodes in order, parameters included: safe to walk while changing the graph.
  [[nodiscard]] std::vector<Node*> nodes() const;

 private:
  Node* insert(std::unique_ptr<Node> node, Node* before);
  void add_use(Value value, Use use);
  void remove_use(Value value, Use use);
  size_t& slot_of(Use use);

  std::string name_;
  std::vector<Node*> parameters_;
  std::vector<Value> results_;
  std::vector<size_t> result_slots_;  // as Node::use_slots_
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  int num_nodes_ = 0;
  int next_id_ = 0;
};

inline const Type& Value::type() const {
  return node->type(index);
}

}  // namespace wick::ir
