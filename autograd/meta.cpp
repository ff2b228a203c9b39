#include "wick/autograd/meta.h"

#include <algorithm>

#include "wick/tensor/ops.h"

namespace wick::autograd {

int64_t HookList::add(GradientHook hook) {
  const std::lock_guard lock(mutex_);
  items_.push_back({next_id_, std::move(hook)});
  return next_id_++;
}

void HookList::remove(int64_t id) {
  std::vector<Item> gone;  // ends outside the lock: it may hold tensors
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(items_, id, &Item::id);
  if (found == items_.end()) return;
  gone.push_back(std::move(*found));
  items_.erase(found);
}

std::vector<GradientHook> HookList::hooks() const {
  const std::lock_guard lock(mutex_);
  std::vector<GradientHook> hooks;
  for (const Item& item : items_)
    hooks.push_back(item.hook);
  return hooks;
}

Tensor LeafMeta::grad() const {
  const std::lock_guard lock(mutex_);
  return grad_;
}

void LeafMeta::accumulate(const Tensor& gradient, std::source_location where) {
  const std::lock_guard lock(mutex_);
  grad_ = grad_.defined() ? Operand(grad_, where) + Operand(gradient, where) : gradient;
}

void LeafMeta::clear() {
  Tensor old;  // ends outside the lock: it may take a whole graph with it
  const std::lock_guard lock(mutex_);
  std::swap(old, grad_);
}

Meta* meta_of(const detail::Node& node) {
  return static_cast<Meta*>(node.meta());
}

namespace {

Meta* meta_of_kind(const detail::Node& node, Meta::Kind kind) {
  Meta* const meta = meta_of(node);
  return meta != nullptr && meta->kind() == kind ? meta : nullptr;
}

}  // namespace

LeafMeta* leaf_meta(const detail::Node& node) {
  return static_cast<LeafMeta*>(meta_of_kind(node, Meta::Kind::leaf));
}

CustomMeta* custom_meta(const detail::Node& node) {
  return static_cast<CustomMeta*>(meta_of_kind(node, Meta::Kind::custom));
}

Tensor fresh_alias(const Tensor& value, std::source_location where) {
  const detail::Node& node = *value.node();
  if (runtime::Buffer* buffer = node.value(); buffer != nullptr) {
    return Tensor(detail::Node::leaf(node.type(), Ref<runtime::Buffer>(buffer), where));
  }
  const NoGradGuard guard;
  const auto& shape = value.shape();
  return record(ir::OpKind::reshape,
                {&value, 1},
                {{"shape", std::vector<int64_t>(shape.begin(), shape.end())}},
                where);
}

}  // namespace wick::autograd
