// The autograd members of Tensor that concern leaves.

#include <fmt/format.h>

#include "wick/autograd/history.h"
#include "wick/autograd/meta.h"
#include "wick/ir/error.h"

namespace wick {
namespace {

constexpr std::string_view kRequiresGrad = "requires_grad_";

void check_can_be_leaf(const Tensor& tensor, std::source_location where) {
  if (!is_float(tensor.dtype())) {
    constexpr auto kText = "needs a float dtype, got {}";
    throw Error(where, kRequiresGrad, fmt::format(kText, to_string(tensor.type())));
  }
  if (tensor.requires_grad() && autograd::leaf_meta(*tensor.node()) == nullptr) {
    constexpr auto kText =
        "only leaves can be marked; {} was computed from tensors that require a gradient, "
        "detach() it first";
    throw Error(where, kRequiresGrad, fmt::format(kText, to_string(tensor.type())));
  }
}

}  // namespace

Tensor& Tensor::requires_grad_(bool value, std::source_location where) {
  if (!defined()) throw Error(where, kRequiresGrad, "the tensor is undefined");
  check_can_be_leaf(*this, where);
  if (value == requires_grad()) return *this;
  if (!value) {
    node_->set_requires_grad(false);
    node_->set_meta(nullptr);
    return *this;
  }
  // Constants are shared by the whole process.
  if (node_->op() == ir::OpKind::constant) *this = autograd::fresh_alias(*this, where);
  node_->set_meta(autograd::make_meta<autograd::LeafMeta>());
  node_->set_requires_grad(true);
  return *this;
}

bool Tensor::requires_grad() const {
  return defined() && autograd::takes_gradient(*node_);
}

Tensor Tensor::grad() const {
  const autograd::LeafMeta* leaf = defined() ? autograd::leaf_meta(*node_) : nullptr;
  return leaf == nullptr ? Tensor() : leaf->grad();
}

void Tensor::zero_grad() {
  if (!defined()) return;
  if (autograd::LeafMeta* leaf = autograd::leaf_meta(*node_)) leaf->clear();
}

Tensor Tensor::detach() const {
  return defined() ? autograd::fresh_alias(*this, node_->where()) : Tensor();
}

}  // namespace wick
