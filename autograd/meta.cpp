#include "wick/autograd/meta.h"

#include "wick/tensor/ops.h"

namespace wick::autograd {

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

namespace {

Meta* meta_of(const detail::Node& node, Meta::Kind kind) {
  auto* meta = static_cast<Meta*>(node.meta());
  return meta != nullptr && meta->kind() == kind ? meta : nullptr;
}

}  // namespace

LeafMeta* leaf_meta(const detail::Node& node) {
  return static_cast<LeafMeta*>(meta_of(node, Meta::Kind::leaf));
}

CustomMeta* custom_meta(const detail::Node& node) {
  return static_cast<CustomMeta*>(meta_of(node, Meta::Kind::custom));
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
