#include "wick/ir/graph.h"

#include <algorithm>

#include "wick/ir/attribute_schema.h"
#include "wick/ir/check.h"

namespace wick::ir {
namespace {

std::vector<const Type*> types_of(std::span<const Value> values) {
  std::vector<const Type*> types;
  types.reserve(values.size());
  for (const Value& value : values) {
    types.push_back(&value.type());
  }
  return types;
}

}  // namespace

const std::string& Node::name(int i) const {
  static const std::string kNone;
  return static_cast<size_t>(i) < names_.size() ? names_[static_cast<size_t>(i)] : kNone;
}

void Node::set_name(std::string name, int i) {
  const auto at = static_cast<size_t>(i);
  if (names_.size() <= at) names_.resize(at + 1);
  names_[at] = std::move(name);
}

std::vector<Use> Node::uses_of(int i) const {
  std::vector<Use> result;
  for (const Use& use : uses_) {
    const auto at = static_cast<size_t>(use.operand);
    const Value read = use.user == nullptr ? graph_->results()[at] : use.user->operands_[at];
    if (read.index == i) result.push_back(use);
  }
  return result;
}

size_t& Graph::slot_of(Use use) {
  const auto at = static_cast<size_t>(use.operand);
  return use.user == nullptr ? result_slots_[at] : use.user->use_slots_[at];
}

void Graph::add_use(Value value, Use use) {
  check(value.node != nullptr && value.index < value.node->num_results(), "an operand is a value");
  slot_of(use) = value.node->uses_.size();
  value.node->uses_.push_back(use);
}

/// A slot finds a use among a million others at once.
void Graph::remove_use(Value value, Use use) {
  std::vector<Use>& uses = value.node->uses_;
  size_t slot = slot_of(use);
  if (slot >= uses.size() || uses[slot] != use) {
    slot = static_cast<size_t>(std::ranges::find(uses, use) - uses.begin());
  }
  check(slot < uses.size(), "a use is in the list of its value");
  uses[slot] = uses.back();
  slot_of(uses[slot]) = slot;
  uses.pop_back();
}

Graph::Graph(std::string name) : name_(std::move(name)) {}

Graph::~Graph() {
  for (Node* node = first_; node != nullptr;) {
    Node* next = node->next_;
    delete node;  // NOLINT(*-owning-memory): the graph owns its nodes.
    node = next;
  }
}

Node* Graph::insert(std::unique_ptr<Node> owned, Node* before) {
  Node* node = owned.release();
  node->graph_ = this;
  node->id_ = next_id_++;
  node->next_ = before;
  node->previous_ = before == nullptr ? last_ : before->previous_;
  (node->previous_ == nullptr ? first_ : node->previous_->next_) = node;
  (before == nullptr ? last_ : before->previous_) = node;
  ++num_nodes_;
  node->use_slots_.resize(node->operands_.size());
  for (int i = 0; i < node->num_operands(); ++i) {
    add_use(node->operand(i), {node, i});
  }
  return node;
}

Node* Graph::add_parameter(Type type, std::string name, Attributes attributes) {
  std::unique_ptr<Node> node(new Node());
  node->op_ = OpKind::parameter;
  node->types_.push_back(std::move(type));
  drop_defaults(OpKind::parameter, attributes);
  node->attributes_ = std::move(attributes);
  if (!name.empty()) node->set_name(std::move(name));
  parameters_.reserve(parameters_.size() + 1);
  Node* added = insert(std::move(node), parameters_.empty() ? first_ : parameters_.back()->next_);
  parameters_.push_back(added);
  return added;
}

Node* Graph::add(OpKind op,
                 std::vector<Value> operands,
                 Attributes attributes,
                 Location location,
                 Node* before) {
  check(op != OpKind::parameter && op != OpKind::fusion,
        "parameters and fusions have their own way of being added");
  std::unique_ptr<Node> node(new Node());
  node->types_.push_back(infer_type(op, types_of(operands), attributes, location));
  drop_defaults(op, attributes);
  node->op_ = op;
  node->operands_ = std::move(operands);
  node->attributes_ = std::move(attributes);
  node->location_ = location;
  return insert(std::move(node), before);
}

Node* Graph::add_unregistered(Type type,
                              std::vector<Value> operands,
                              Attributes attributes,
                              Location location,
                              Node* before) {
  std::unique_ptr<Node> node(new Node());
  node->op_ = OpKind::custom;
  node->types_.push_back(std::move(type));
  node->operands_ = std::move(operands);
  node->attributes_ = std::move(attributes);
  node->location_ = location;
  return insert(std::move(node), before);
}

Node* Graph::add_fusion(std::vector<Value> operands,
                        std::unique_ptr<Graph> body,
                        Attributes attributes,
                        Location location,
                        Node* before) {
  check(operands.size() == body->parameters().size(), "a fusion has an operand for each parameter");
  for (size_t i = 0; i < operands.size(); ++i) {
    check(operands[i].type() == body->parameters()[i]->type(),
          "a fusion's operands have the types of its body's parameters");
  }
  std::unique_ptr<Node> node(new Node());
  node->op_ = OpKind::fusion;
  for (const Value& result : body->results()) {
    node->types_.push_back(result.type());
  }
  node->operands_ = std::move(operands);
  node->attributes_ = std::move(attributes);
  node->location_ = location;
  node->body_ = std::move(body);
  return insert(std::move(node), before);
}

Node* Graph::add_constant(Literal value, Location location, Node* before) {
  Attributes attributes;  // set, since an initializer list would copy the literal
  attributes.set("value", std::move(value));
  return add(OpKind::constant, {}, std::move(attributes), location, before);
}

void Graph::set_operand(Node* node, int operand, Value value) {
  Value& slot = node->operands_[static_cast<size_t>(operand)];
  if (slot == value) return;
  check(value.node != nullptr && value.index < value.node->num_results(), "an operand is a value");
  remove_use(slot, {node, operand});
  slot = value;
  add_use(value, {node, operand});
}

void Graph::replace_all_uses(Value from, Value to) {
  if (from == to) return;
  check(from.type() == to.type(), "a value is replaced by one of its type");
  const bool same_node = to.node == from.node;
  for (const Use& use : from.node->uses_of(from.index)) {
    const auto at = static_cast<size_t>(use.operand);
    (use.user == nullptr ? results_[at] : use.user->operands_[at]) = to;
    if (!same_node) add_use(to, use);
  }
  if (same_node) return;
  // What is left of the list reads other results of the node.
  std::erase_if(from.node->uses_, [&](const Use& use) {
    const auto at = static_cast<size_t>(use.operand);
    return (use.user == nullptr ? results_[at] : use.user->operands_[at]).node != from.node;
  });
  for (size_t slot = 0; slot < from.node->uses_.size(); ++slot) {
    slot_of(from.node->uses_[slot]) = slot;
  }
}

void Graph::erase(Node* node) {
  check(!node->has_uses(), "an erased node has no uses");
  check(node->op() != OpKind::parameter, "parameters are erased by erase_parameter");
  for (int i = node->num_operands() - 1; i >= 0; --i) {
    remove_use(node->operand(i), {node, i});
  }
  (node->previous_ == nullptr ? first_ : node->previous_->next_) = node->next_;
  (node->next_ == nullptr ? last_ : node->next_->previous_) = node->previous_;
  --num_nodes_;
  delete node;  // NOLINT(*-owning-memory): the graph owns its nodes.
}

void Graph::move_before(Node* node, Node* before) {
  if (node == before || node->next_ == before) return;
  (node->previous_ == nullptr ? first_ : node->previous_->next_) = node->next_;
  (node->next_ == nullptr ? last_ : node->next_->previous_) = node->previous_;
  node->next_ = before;
  node->previous_ = before == nullptr ? last_ : before->previous_;
  (node->previous_ == nullptr ? first_ : node->previous_->next_) = node;
  (before == nullptr ? last_ : before->previous_) = node;
}

void Graph::erase_parameter(int i) {
  Node* node = parameters_[static_cast<size_t>(i)];
  check(!node->has_uses(), "an erased parameter has no uses");
  parameters_.erase(parameters_.begin() + i);
  node->op_ = OpKind::constant;  // no longer a parameter, so that erase takes it
  erase(node);
}

void Graph::set_results(std::vector<Value> results) {
  for (size_t i = 0; i < results_.size(); ++i) {
    remove_use(results_[i], {nullptr, static_cast<int>(i)});
  }
  results_.clear();
  result_slots_.clear();
  for (const Value& value : results) {
    add_result(value);
  }
}

void Graph::add_result(Value value) {
  results_.push_back(value);
  result_slots_.push_back(0);
  add_use(value, {nullptr, static_cast<int>(results_.size()) - 1});
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> all;
  all.reserve(static_cast<size_t>(num_nodes_));
  for (Node* node = first_; node != nullptr; node = node->next_) {
    all.push_back(node);
  }
  return all;
}

// Recursive in the nesting of fusions only, which the verifier keeps at one.
std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(name_);
  std::vector<Node*> copies(static_cast<size_t>(next_id_));
  const auto copy_of = [&](Value value) {
    return Value{copies[static_cast<size_t>(value.node->id_)], value.index};
  };
  for (const Node* node = first_; node != nullptr; node = node->next_) {
    std::unique_ptr<Node> twin(new Node());
    twin->op_ = node->op_;
    twin->types_ = node->types_;
    twin->attributes_ = node->attributes_;
    twin->location_ = node->location_;
    twin->names_ = node->names_;
    if (node->body_ != nullptr) twin->body_ = node->body_->clone();
    for (const Value& operand : node->operands_) {
      twin->operands_.push_back(copy_of(operand));
    }
    copies[static_cast<size_t>(node->id_)] = copy->insert(std::move(twin), nullptr);
  }
  for (const Node* parameter : parameters_) {
    copy->parameters_.push_back(copies[static_cast<size_t>(parameter->id_)]);
  }
  for (const Value& result : results_) {
    copy->add_result(copy_of(result));
  }
  return copy;
}

}  // namespace wick::ir
