#include <algorithm>
#include <utility>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// The gradient of max pooling, where the graph itself says which elements are the largest: then
/// every cotangent goes to exactly one element.
struct MaxPoolGradient {
  const Node* node = nullptr;
  Value image;                // that was pooled
  ir::Attributes attributes;  // of the pool

  static MaxPoolGradient of(Value value) {
    const Node* gradient = producer(value, OpKind::max_pool2d_grad);
    if (gradient == nullptr) return {};
    const Node* argmax = producer(gradient->operand(0), OpKind::max_pool2d);
    if (argmax == nullptr || argmax->operand(0).type() != gradient->type()) return {};
    ir::Attributes attributes = gradient->attributes();
    attributes.erase("input_shape");
    ir::Attributes of_argmax = argmax->attributes();
    of_argmax.erase("argmax");
    if (of_argmax != attributes) return {};
    return {gradient, argmax->operand(0), std::move(attributes)};
  }

  [[nodiscard]] Value cotangent() const { return node->operand(1); }
};

bool is_scalar(Value value) {
  return value.type().shape.ndim() == 0;
}

/// An elementwise op on nothing but `image` and scalars.
bool asks_only(const Node& mask, Value image) {
  return ir::has(mask.op(), ir::kElementwise) && mask.type().shape == image.type().shape &&
         std::ranges::all_of(mask.operands(),
                             [&](Value value) { return value == image || is_scalar(value); });
}

/// Where a mask of the image, as ReLU's, drops a part of the gradient of max pooling, the same mask
/// of the largest elements drops the cotangents: these are fewer, and nothing keeps the image.
Value mask_of_gradient(const Node& node, RuleBuilder& build) {
  for (const int kept : {1, 2}) {
    const MaxPoolGradient gradient = MaxPoolGradient::of(node.operand(kept));
    if (gradient.node == nullptr || gradient.node->uses().size() != 1) continue;
    const Node& mask = *node.operand(0).node;
    if (!is_splat(node.operand(3 - kept), 0) || !asks_only(mask, gradient.image)) continue;

    const Value largest = build.op(OpKind::max_pool2d, {gradient.image}, gradient.attributes);
    std::vector<Value> asked(mask.operands().begin(), mask.operands().end());
    std::ranges::replace(asked, gradient.image, largest);
    const Value dropped = build.scalar(node.type().dtype, 0);
    std::vector<Value> choice = {
        build.op(mask.op(), std::move(asked), mask.attributes()), dropped, dropped};
    choice[static_cast<size_t>(kept)] = gradient.cotangent();
    const Value cotangent = build.op(OpKind::where, std::move(choice));
    return build.op(OpKind::max_pool2d_grad,
                    {gradient.node->operand(0), cotangent},
                    gradient.node->attributes());
  }
  return {};
}

/// As the gradient of a bias sums.
Value sum_of_gradient(const Node& node, RuleBuilder& build) {
  const MaxPoolGradient gradient = MaxPoolGradient::of(node.operand(0));
  if (gradient.node == nullptr) return {};
  const std::vector<int64_t>& axes = node.attributes().integers("axes");
  for (const int64_t pooled : {2, 3})
    if (std::ranges::find(axes, pooled) == axes.end()) return {};
  return build.op(OpKind::reduce_sum, {gradient.cotangent()}, node.attributes());
}

const Rule kPoolingRules[] = {
    {"mask-of-pool-gradient", OpKind::where, mask_of_gradient},
    {"sum-of-pool-gradient", OpKind::reduce_sum, sum_of_gradient},
};

}  // namespace

std::span<const Rule> pooling_rules() {
  return kPoolingRules;
}

}  // namespace wick::passes
