#include <algorithm>
#include <utility>

#include "wick/ir/axis_split.h"
#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/options.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

Integers to_integers(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

Value movement_to_same(const Node& node, RuleBuilder& /*build*/) {
  return node.type() == node.operand(0).type() ? node.operand(0) : Value{};
}

/// Rearranging equal elements is no more than having another number of them.
Value movement_of_scalar(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::broadcast);
  if (inner == nullptr || inner->operand(0).type().shape.ndim() != 0) return {};
  return build.spread(inner->operand(0));
}

Value broadcast_of_broadcast(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::broadcast);
  return inner == nullptr ? Value{} : build.spread(inner->operand(0));
}

/// A broadcast that repeats nothing; a reshape costs nothing.
Value broadcast_of_units(const Node& node, RuleBuilder& build) {
  if (node.type().numel() != node.operand(0).type().numel()) return {};
  return build.reshape(node.operand(0), node.type().shape);
}

Value reshape_of_reshape(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::reshape);
  return inner == nullptr ? Value{} : build.reshape(inner->operand(0), node.type().shape);
}

Value permute_identity(const Node& node, RuleBuilder& /*build*/) {
  const Integers& axes = node.attributes().integers("axes");
  return std::ranges::is_sorted(axes) ? node.operand(0) : Value{};
}

Value permute_of_permute(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::permute);
  if (inner == nullptr) return {};
  const Integers& first = inner->attributes().integers("axes");
  Integers axes = node.attributes().integers("axes");
  for (int64_t& axis : axes) {
    axis = first[static_cast<size_t>(axis)];
  }
  return build.op(OpKind::permute, {inner->operand(0)}, {{"axes", std::move(axes)}});
}

/// Axes of extent 1 may go anywhere without an element moving.
Value permute_of_units(const Node& node, RuleBuilder& build) {
  const Shape& shape = node.operand(0).type().shape;
  Integers moved = node.attributes().integers("axes");
  std::erase_if(moved, [&](int64_t axis) { return shape[static_cast<int>(axis)] == 1; });
  if (!std::ranges::is_sorted(moved)) return {};
  return build.reshape(node.operand(0), node.type().shape);
}

Value slice_identity(const Node& node, RuleBuilder& /*build*/) {
  const bool keeps_all = node.type() == node.operand(0).type() &&
                         is_all(per_axis(node, "starts", 0), 0) &&
                         is_all(per_axis(node, "steps", 1), 1);
  return keeps_all ? node.operand(0) : Value{};
}

Value slice_of_slice(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::slice);
  if (inner == nullptr || node.type().numel() == 0) return {};  // empty: starts may be anything
  const Integers inner_starts = per_axis(*inner, "starts", 0);
  const Integers inner_steps = per_axis(*inner, "steps", 1);
  Integers starts = per_axis(node, "starts", 0);
  Integers steps = per_axis(node, "steps", 1);
  for (size_t i = 0; i < starts.size(); ++i) {
    starts[i] = inner_starts[i] + starts[i] * inner_steps[i];
    steps[i] *= inner_steps[i];
    if (node.type().shape[static_cast<int>(i)] == 1) {
      steps[i] = 1;  // says nothing, and products of large steps could overflow
    }
  }
  return build.op(OpKind::slice,
                  {inner->operand(0)},
                  {{"starts", std::move(starts)},
                   {"sizes", to_integers(node.type().shape)},
                   {"steps", std::move(steps)}});
}

Value concat_of_one(const Node& node, RuleBuilder& /*build*/) {
  return node.num_operands() == 1 ? node.operand(0) : Value{};
}

/// Drops operands without elements and opens concats along the same axis.
Value concat_flatten(const Node& node, RuleBuilder& build) {
  const int64_t axis = node.attributes().integer("axis", 0);
  std::vector<Value> operands;
  for (const Value& operand : node.operands()) {
    const Node* inner = producer(operand, OpKind::concat);
    if (operand.type().shape[static_cast<int>(axis)] == 0) continue;
    if (inner != nullptr && inner->attributes().integer("axis", 0) == axis &&
        inner->uses().size() == 1) {
      operands.insert(operands.end(), inner->operands().begin(), inner->operands().end());
    } else {
      operands.push_back(operand);
    }
  }
  if (operands.empty()) return node.operand(0);  // all are empty, and so is the result
  const bool changed = !std::ranges::equal(operands, node.operands());
  return changed ? build.op(OpKind::concat, std::move(operands), node.attributes()) : Value{};
}

/// Stacks of matrices behind each other are their rows below each other, in other extents. Vectors
/// stay apart: where each is a row of its own, kernels tell them by the row.
Value concat_of_stacks(const Node& node, RuleBuilder& build) {
  if (node.attributes().integer("axis", 0) != 0 || node.type().shape.ndim() < 3) return {};
  std::vector<Value> parts;
  for (const Value& operand : node.operands()) {
    const Node* reshape = producer(operand, OpKind::reshape);
    if (reshape == nullptr) return {};
    const Shape& stack = operand.type().shape;
    std::vector<int64_t> rows(stack.begin() + 1, stack.end());
    rows[0] *= stack[0];
    if (!std::ranges::equal(reshape->operand(0).type().shape, rows)) return {};
    parts.push_back(reshape->operand(0));
  }
  return build.reshape(build.op(OpKind::concat, std::move(parts), node.attributes()),
                       node.type().shape);
}

Value scatter_nothing(const Node& node, RuleBuilder& /*build*/) {
  return node.operand(2).type().numel() == 0 ? node.operand(0) : Value{};
}

/// GPUs have the scatter of slices alone: elements along an axis are slices of all elements in one,
/// and an index that does not exist is -1, for which nothing is put anywhere.
Value scatter_of_elements(const Node& node, RuleBuilder& build) {
  if (!targets_gpu() || !node.attributes().flag("along")) return {};
  const auto axis = static_cast<int>(node.attributes().integer("axis", 0));
  const ir::AxisSplit split = ir::split_at(node.type().shape, axis);
  const auto number = [&](int64_t value) {
    return build.scalar(DType::i64, static_cast<double>(value));
  };
  const auto numbers = [&](int64_t count, const Shape& shape) {
    return build.reshape(
        build.op(
            OpKind::iota,
            {},
            {{"axis", int64_t{0}}, {"dtype", DType::i64}, {"shape", std::vector<int64_t>{count}}}),
        shape);
  };
  const Value given = build.op(OpKind::cast, {node.operand(1)}, {{"dtype", DType::i64}});
  const Value wide =
      build.reshape(given, {split.outer, node.operand(1).type().shape[axis], split.inner});
  const Value low = build.op(OpKind::maximum, {wide, number(0)});
  const Value near = build.op(OpKind::minimum, {low, number(split.extent - 1)});
  Value at = near;
  if (split.outer > 1) {
    const Value begins =
        build.op(OpKind::mul, {numbers(split.outer, {split.outer, 1, 1}), number(split.extent)});
    at = build.op(OpKind::add, {begins, at});
  }
  if (split.inner > 1) {
    const Value begins = build.op(OpKind::mul, {at, number(split.inner)});
    at = build.op(OpKind::add, {begins, numbers(split.inner, {split.inner})});
  }
  const Value exists = build.op(OpKind::eq, {near, wide});
  const Value places = build.op(OpKind::where, {exists, at, number(-1)});
  ir::Attributes attributes = node.attributes();
  attributes.erase("along");
  attributes.set("axis", int64_t{0});
  const auto flat = [&](Value value) { return build.reshape(value, {value.type().numel()}); };
  const Value changed = build.op(OpKind::scatter,
                                 {flat(node.operand(0)), flat(places), flat(node.operand(2))},
                                 std::move(attributes));
  return build.reshape(changed, node.type().shape);
}

const Rule kMovementRules[] = {
    {"broadcast-to-same", OpKind::broadcast, movement_to_same},
    {"broadcast-of-broadcast", OpKind::broadcast, broadcast_of_broadcast},
    {"broadcast-of-units", OpKind::broadcast, broadcast_of_units},
    {"reshape-to-same", OpKind::reshape, movement_to_same},
    {"reshape-of-reshape", OpKind::reshape, reshape_of_reshape},
    {"reshape-of-scalar", OpKind::reshape, movement_of_scalar},
    {"permute-identity", OpKind::permute, permute_identity},
    {"permute-of-scalar", OpKind::permute, movement_of_scalar},
    {"permute-of-permute", OpKind::permute, permute_of_permute},
    {"permute-of-units", OpKind::permute, permute_of_units},
    {"slice-identity", OpKind::slice, slice_identity},
    {"slice-of-scalar", OpKind::slice, movement_of_scalar},
    {"slice-of-slice", OpKind::slice, slice_of_slice},
    {"concat-of-one", OpKind::concat, concat_of_one},
    {"concat-flatten", OpKind::concat, concat_flatten},
    {"concat-of-stacks", OpKind::concat, concat_of_stacks},
    {"scatter-nothing", OpKind::scatter, scatter_nothing},
    {"scatter-of-elements", OpKind::scatter, scatter_of_elements},
};

}  // namespace

std::span<const Rule> movement_rules() {
  return kMovementRules;
}

}  // namespace wick::passes
