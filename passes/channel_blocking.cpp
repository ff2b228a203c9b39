#include "wick/passes/channel_blocking.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "wick/ir/channel_blocks.h"
#include "wick/passes/per_axis.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

bool is_convolution(const Node& node) {
  return node.op() == OpKind::conv || node.op() == OpKind::conv_input_grad ||
         node.op() == OpKind::conv_weight_grad;
}

/// Weight, input and output channels of a convolution or a gradient of one.
const Shape& weight_of(const Node& node) {
  return node.op() == OpKind::conv_weight_grad ? node.type().shape : node.operand(1).type().shape;
}

/// Every group has whole blocks, or each channel is a group of its own.
bool has_good_groups(const Node& node, int64_t block) {
  const int64_t groups = node.attributes().integer("groups", 1);
  if (groups == 1) return true;
  const Shape& w = weight_of(node);
  const bool whole = w[1] % block == 0 && w[0] / groups % block == 0;
  return whole || (w[1] == 1 && w[0] == groups && groups % block == 0);
}

/// Few channels would leave most of a block empty: input gradients for them have ways of their own
/// on plain images.
bool makes_few_channels(const Node& node) {
  constexpr int64_t kFew = 4;
  return node.op() == OpKind::conv_input_grad && node.type().shape[1] <= kFew &&
         node.attributes().integer("groups", 1) == 1;
}

/// Images without width and height move no element when their channels are cut.
bool is_flat(const Shape& shape) {
  return std::all_of(shape.begin() + 2, shape.end(), [](int64_t extent) { return extent == 1; });
}

/// Images with as many channels of other extents, or of other numbers of them.
bool keeps_images(const Shape& from, const Shape& to) {
  constexpr int kLeastRank = 3;
  return from.ndim() >= kLeastRank && to.ndim() >= kLeastRank && from[0] == to[0] &&
         from[1] == to[1];
}

Shape shape_of(const std::vector<int64_t>& extents) {
  return Shape(std::span<const int64_t>(extents));
}

}  // namespace

bool can_block(const Node& node, int64_t block) {
  if (!is_convolution(node) || node.type().dtype != DType::f32) return false;
  const Shape& w = weight_of(node);
  const bool is_weight_grad = node.op() == OpKind::conv_weight_grad;
  const Type& other = is_weight_grad ? node.operand(1).type() : node.type();
  const bool is_plain =
      node.operand(0).type().shape.ndim() == w.ndim() && other.shape.ndim() == w.ndim();
  const bool has_blocks = w[0] % block == 0 && w[0] > 0;  // of output channels
  if (makes_few_channels(node)) return false;
  return is_plain && has_blocks && node.operand(0).type().numel() > 0 && node.type().numel() > 0 &&
         has_good_groups(node, block);
}

bool passes_images_on(const Node& node) {
  switch (node.op()) {
    case OpKind::reshape:
      return keeps_images(node.operand(0).type().shape, node.type().shape);
    case OpKind::broadcast:
    case OpKind::concat:
    case OpKind::slice:
    case OpKind::pad:
    case OpKind::gather:
    case OpKind::scatter:
      return true;
    default:
      return ir::has(node.op(), ir::kElementwise) || ir::has(node.op(), ir::kPooling);
  }
}

bool ChannelBlocking::rewrite(Node& node) {
  before_ = &node;
  const Value plain = blocked_form(node);
  if (!plain) return false;
  graph_.replace_all_uses(node.result(), plain);
  graph_.erase(&node);
  return true;
}

/// What to use instead of the node's result; none where the node stays.
Value ChannelBlocking::blocked_form(Node& node) {
  if (can_block(node, block_)) return convolution(node);
  if (node.num_results() != 1 || !reads_blocked(node)) return {};
  if (ir::has(node.op(), ir::kPooling)) return pooling(node);
  if (ir::has(node.op(), ir::kElementwise)) return elementwise(node);
  if (ir::has(node.op(), ir::kReduction) && node.op() != OpKind::argmax) return reduction(node);
  switch (node.op()) {
    case OpKind::broadcast:
      return broadcast(node);
    case OpKind::reshape:
      return reshaped_planes(node);
    case OpKind::concat:
      return concat(node);
    case OpKind::slice:
      return slice(node);
    case OpKind::pad:
      return pad(node);
    case OpKind::gather:
    case OpKind::scatter:
      return gather_or_scatter(node);
    default:
      return {};
  }
}

Value ChannelBlocking::convolution(Node& node) {
  ir::Attributes attributes = node.attributes();
  const Value first = block_if_it_fits(node.operand(0));
  if (node.op() == OpKind::conv_weight_grad) {
    return add(node.op(), {first, block(node.operand(1))}, std::move(attributes));
  }
  if (!fits(node.type().shape)) {
    return add(node.op(), {first, node.operand(1)}, std::move(attributes));
  }
  attributes.set("block", block_);
  return unblock(add(node.op(), {first, node.operand(1)}, std::move(attributes)));
}

Value ChannelBlocking::pooling(Node& node) {
  const bool is_largest = node.op() == OpKind::max_pool2d;  // or which element that is
  const Type& images = is_largest ? node.operand(0).type() : node.type();
  if (images.dtype != DType::f32) return {};
  std::vector<Value> operands;
  for (const Value operand : node.operands())
    operands.push_back(block(operand));
  ir::Attributes attributes = node.attributes();
  if (attributes.has("input_shape")) {
    const Shape input = ir::with_channel_blocks(node.type().shape, block_);
    attributes.set("input_shape", std::vector<int64_t>(input.begin(), input.end()));
  }
  return unblock(add(node.op(), std::move(operands), std::move(attributes)));
}

Value ChannelBlocking::elementwise(Node& node) {
  const Shape& shape = node.type().shape;
  if (!fits(shape)) return {};
  std::vector<Value> operands;
  for (const Value operand : node.operands()) {
    const bool is_scalar = operand.type().shape.ndim() == 0;
    operands.push_back(is_scalar ? operand : block(with_rank(operand, shape.ndim())));
  }
  return unblock(add(node.op(), std::move(operands), node.attributes()));
}

Value ChannelBlocking::broadcast(Node& node) {
  const Value operand = node.operand(0);
  const Shape& shape = node.type().shape;
  if (shape.ndim() != operand.type().shape.ndim()) return {};
  const Shape blocked = ir::with_channel_blocks(shape, block_);
  return unblock(add(OpKind::broadcast,
                     {block(operand)},
                     {{"shape", std::vector<int64_t>(blocked.begin(), blocked.end())}}));
}

Value ChannelBlocking::reshaped_planes(Node& node) {
  const Shape& from = node.operand(0).type().shape;
  const Shape& to = node.type().shape;
  if (!fits(from) || !fits(to) || !keeps_images(from, to)) return {};
  return unblock(reshape(block(node.operand(0)), ir::with_channel_blocks(to, block_)));
}

Value ChannelBlocking::concat(Node& node) {
  std::vector<Value> parts;
  for (const Value part : node.operands()) {
    if (!fits(part.type().shape)) return {};
    parts.push_back(block(part));
  }
  return unblock(add(OpKind::concat, std::move(parts), node.attributes()));
}

Value ChannelBlocking::slice(Node& node) {
  const Value images = node.operand(0);
  std::vector<int64_t> starts = per_axis(node, "starts", 0);
  std::vector<int64_t> steps = per_axis(node, "steps", 1);
  const bool takes_blocks = starts[1] % block_ == 0 && steps[1] == 1;
  if (!takes_blocks || !fits(images.type().shape) || !fits(node.type().shape)) return {};
  const Shape sizes = ir::with_channel_blocks(node.type().shape, block_);
  starts[1] /= block_;
  starts.push_back(0);
  steps.push_back(1);
  return unblock(add(OpKind::slice,
                     {block(images)},
                     {{"sizes", std::vector<int64_t>(sizes.begin(), sizes.end())},
                      {"starts", std::move(starts)},
                      {"steps", std::move(steps)}}));
}

Value ChannelBlocking::pad(Node& node) {
  std::vector<int64_t> low = per_axis(node, "low", 0);
  std::vector<int64_t> high = per_axis(node, "high", 0);
  std::vector<int64_t> interior = per_axis(node, "interior", 0);
  const bool adds_blocks = low[1] % block_ == 0 && high[1] % block_ == 0 && interior[1] == 0;
  if (!adds_blocks || !fits(node.operand(0).type().shape) || !fits(node.type().shape)) return {};
  low[1] /= block_;
  high[1] /= block_;
  for (std::vector<int64_t>* each : {&low, &high, &interior})
    each->push_back(0);
  return unblock(
      add(OpKind::pad,
          {block(node.operand(0)), node.operand(1)},
          {{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}}));
}

Value ChannelBlocking::gather_or_scatter(Node& node) {
  constexpr int64_t kChannels = 1;
  const bool keeps_channels = node.attributes().integer("axis", 0) != kChannels;
  const bool keeps_axes =
      node.operand(1).type().shape.ndim() == 1 && !node.attributes().flag("along");
  if (!keeps_channels || !keeps_axes || !fits(node.type().shape)) return {};
  std::vector<Value> operands;
  for (const Value operand : node.operands()) {
    const bool is_indices = operand == node.operand(1);
    if (!is_indices && !fits(operand.type().shape)) return {};
    operands.push_back(is_indices ? operand : block(operand));
  }
  return unblock(add(node.op(), std::move(operands), node.attributes()));
}

Value ChannelBlocking::reduction(Node& node) {
  const int rank = node.operand(0).type().shape.ndim();
  const bool keepdims = node.attributes().flag("keepdims");
  std::vector<int64_t> axes = node.attributes().integers("axes");
  const bool over_images = std::ranges::find(axes, 0) != axes.end();
  const bool over_channels = std::ranges::find(axes, 1) != axes.end();
  if (over_channels) axes.push_back(rank);
  const Value sums =
      add(node.op(), {block(node.operand(0))}, {{"axes", axes}, {"keepdims", keepdims}});
  if (over_channels) return reshape(sums, node.type().shape);
  if (keepdims) return unblock(sums);
  // The channels in a block come last; they belong behind the number of the block.
  std::vector<int64_t> order(static_cast<size_t>(sums.type().shape.ndim()));
  std::iota(order.begin(), order.end(), 0);
  const auto behind = order.begin() + (over_images ? 1 : 2);
  std::rotate(behind, order.end() - 1, order.end());
  return reshape(permute(sums, std::move(order)), node.type().shape);
}

bool ChannelBlocking::fits(const Shape& shape) const {
  return shape.ndim() >= 3 && shape.numel() > 0 && shape[1] % block_ == 0;
}

bool ChannelBlocking::reads_blocked(const Node& node) const {
  return std::ranges::any_of(node.operands(), [this](Value value) { return is_blocked(value); });
}

Value ChannelBlocking::add(OpKind op, std::vector<Value> operands, ir::Attributes attributes) {
  return graph_.add(op, std::move(operands), std::move(attributes), before_->location(), before_)
      ->result();
}

Value ChannelBlocking::reshape(Value value, const Shape& shape) {
  if (value.type().shape == shape) return value;
  return add(
      OpKind::reshape, {value}, {{"shape", std::vector<int64_t>(shape.begin(), shape.end())}});
}

Value ChannelBlocking::permute(Value value, std::vector<int64_t> axes) {
  if (std::ranges::is_sorted(axes)) return value;
  return add(OpKind::permute, {value}, {{"axes", std::move(axes)}});
}

Value ChannelBlocking::with_rank(Value value, int rank) {
  const Shape& shape = value.type().shape;
  std::vector<int64_t> extents(static_cast<size_t>(rank - shape.ndim()), 1);
  extents.insert(extents.end(), shape.begin(), shape.end());
  return reshape(value, shape_of(extents));
}

Value ChannelBlocking::block(Value plain) {
  for (const auto* known : {&blocked_, &permuted_})
    if (const auto found = known->find(key(plain)); found != known->end()) return found->second;
  const Shape& shape = plain.type().shape;
  if (shape[1] == 1) return reshape(plain, ir::with_channel_blocks(shape, 1));
  const Shape blocked = ir::with_channel_blocks(shape, block_);
  Value result;
  if (is_flat(shape)) {
    result = reshape(plain, blocked);
  } else if (plain.node->op() == OpKind::broadcast) {
    const Value source = plain.node->operand(0);
    const bool is_scalar = source.type().shape.ndim() == 0;
    result = add(OpKind::broadcast,
                 {is_scalar ? source : block(with_rank(source, shape.ndim()))},
                 {{"shape", std::vector<int64_t>(blocked.begin(), blocked.end())}});
  } else {
    std::vector<int64_t> cut(shape.begin(), shape.end());
    cut[1] /= block_;
    cut.insert(cut.begin() + 2, block_);
    std::vector<int64_t> axes(cut.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + 2, axes.begin() + 3, axes.end());
    result = permute(reshape(plain, shape_of(cut)), std::move(axes));
  }
  permuted_.emplace(key(plain), result);
  return result;
}

Value ChannelBlocking::block_if_it_fits(Value plain) {
  return fits(plain.type().shape) ? block(plain) : plain;
}

Value ChannelBlocking::unblock(Value blocked) {
  const Shape shape = ir::without_channel_blocks(blocked.type().shape);
  Value plain;
  if (is_flat(shape)) {
    plain = reshape(blocked, shape);
  } else {
    std::vector<int64_t> axes(static_cast<size_t>(blocked.type().shape.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + 2, axes.end() - 1, axes.end());
    plain = reshape(permute(blocked, std::move(axes)), shape);
  }
  blocked_.emplace(key(plain), blocked);
  return plain;
}

}  // namespace wick::passes
