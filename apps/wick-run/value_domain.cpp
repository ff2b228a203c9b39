#include "value_domain.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace wick::run {

namespace {

using ir::OpKind;

/// The iota whose values reach `value` through casts and movement.
const ir::Node* iota_behind(ir::Value value) {
  const ir::Node* node = value.node;
  while (node->op() == OpKind::cast || node->op() == OpKind::reshape ||
         node->op() == OpKind::broadcast) {
    node = node->operand(0).node;
  }
  return node->op() == OpKind::iota ? node : nullptr;
}

class Follower {
 public:
  ValueDomain follow(const ir::Node& parameter);

 private:
  void use(const ir::Value& value, const ir::Use& use);
  void enter_body(const ir::Node& fusion, int operand);
  void limit(int64_t extent);
  void visit(const ir::Node* node);

  ValueDomain domain_;
  std::vector<const ir::Node*> pending_;
  std::unordered_set<const ir::Node*> seen_;
};

void Follower::limit(int64_t extent) {
  domain_.below = std::min(domain_.below.value_or(extent), extent);
}

void Follower::visit(const ir::Node* node) {
  if (seen_.insert(node).second) pending_.push_back(node);
}

void Follower::enter_body(const ir::Node& fusion, int operand) {
  visit(fusion.body()->parameters()[static_cast<size_t>(operand)]);
}

void Follower::use(const ir::Value& value, const ir::Use& use) {
  const ir::Node& user = *use.user;
  const int64_t axis = user.attributes().has("axis") ? user.attributes().integer("axis", 0) : 0;
  switch (user.op()) {
    case OpKind::cast:
    case OpKind::reshape:
    case OpKind::broadcast:
    case OpKind::permute:
    case OpKind::slice:
    case OpKind::concat:
      return visit(&user);
    case OpKind::gather:
    case OpKind::scatter:
      if (use.operand == 1) limit(user.operand(0).type().shape[static_cast<int>(axis)]);
      return;
    case OpKind::eq:
      if (const ir::Node* iota = iota_behind(user.operand(1 - use.operand)))
        limit(iota->type().shape[static_cast<int>(iota->attributes().integer("axis", 0))]);
      return;
    case OpKind::add:
    case OpKind::mul:
      if (user.operand(0) != user.operand(1)) visit(&user);
      return;
    case OpKind::div:
      if (use.operand == 0) visit(&user);
      return;
    case OpKind::sqrt:
    case OpKind::log:
      domain_.positive = is_float(value.type().dtype);
      return;
    case OpKind::fusion:
      return enter_body(user, use.operand);
    default:
      return;
  }
}

ValueDomain Follower::follow(const ir::Node& parameter) {
  domain_.positive = is_float(parameter.type().dtype) && parameter.attributes().flag("scalar");
  visit(&parameter);
  while (!pending_.empty()) {
    const ir::Node* node = pending_.back();
    pending_.pop_back();
    for (const ir::Use& each : node->uses()) {
      if (each.user != nullptr) use({const_cast<ir::Node*>(node), 0}, each);
    }
  }
  return domain_;
}

}  // namespace

ValueDomain domain_of(const ir::Node& parameter) {
  return Follower().follow(parameter);
}

}  // namespace wick::run
