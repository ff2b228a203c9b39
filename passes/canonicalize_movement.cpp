#include <algorithm>
#include <cmath>
#include <utility>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

Integers to_integers(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

/// The attribute with one number an axis, written out where it was left to its default.
Integers per_axis(const Node& node, std::string_view name, int64_t fallback) {
  const Integers& given = node.attributes().integers(name);
  if (!given.empty()) return given;
  return Integers(static_cast<size_t>(node.operand(0).type().shape.ndim()), fallback);
}

bool is_all(const Integers& numbers, int64_t value) {
  return std::ranges::all_of(numbers, [&](int64_t number) { return number == value; });
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

/// A sort of which few are read need not put the others in order.
Value slice_of_argsort(const Node& node, RuleBuilder& build) {
  const Node* inner = producer(node.operand(0), OpKind::argsort);
  if (inner == nullptr || inner->uses().size() > 1) return {};
  const auto axis = static_cast<size_t>(inner->attributes().integer("axis", 0));
  const int64_t count = node.type().shape[static_cast<int>(axis)];
  Integers starts = per_axis(node, "starts", 0);
  const int64_t start = std::exchange(starts[axis], 0);
  Shape shape = inner->type().shape;
  shape.set(static_cast<int>(axis), count);
  const bool is_along_axis =
      shape == node.type().shape && is_all(starts, 0) && is_all(per_axis(node, "steps", 1), 1);
  if (!is_along_axis) return {};
  ir::Attributes attributes = inner->attributes();
  // An empty slice may start anywhere.
  attributes.set("start", count == 0 ? 0 : attributes.integer("start", 0) + start);
  attributes.set("count", count);
  return build.op(OpKind::argsort, {inner->operand(0)}, std::move(attributes));
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

Value pad_nothing(const Node& node, RuleBuilder& /*build*/) {
  const bool same = is_all(per_axis(node, "low", 0), 0) && is_all(per_axis(node, "high", 0), 0) &&
                    node.type() == node.operand(0).type();
  return same ? node.operand(0) : Value{};
}

bool is_plus_zero(Value value) {
  const std::optional<double> number = splat_number(value);
  return number && *number == 0 && !std::signbit(*number);
}

/// Only puts zeros around x.
bool surrounds_with_zeros(const Node& pad) {
  const auto is_whole = [](int64_t count) { return count >= 0; };
  return is_plus_zero(pad.operand(1)) && is_all(per_axis(pad, "interior", 0), 0) &&
         std::ranges::all_of(per_axis(pad, "low", 0), is_whole) &&
         std::ranges::all_of(per_axis(pad, "high", 0), is_whole);
}

/// What +0 is added to, if that does not spread it, or x.
Value without_added_zero(Value x) {
  const Node* add = producer(x, OpKind::add);
  if (add == nullptr || !is_plus_zero(add->operand(1))) return x;
  return add->operand(0).type() == x.type() ? add->operand(0) : x;
}

/// The paddings that a sum adds, through sums that nothing else reads; false where it adds more.
bool collect_pads(Value x, std::vector<const Node*>& pads) {
  const Node& node = *x.node;
  if (node.uses().size() != 1) return false;
  if (node.op() == OpKind::add)
    return collect_pads(node.operand(0), pads) && collect_pads(node.operand(1), pads);
  if (node.op() != OpKind::pad || !surrounds_with_zeros(node)) return false;
  pads.push_back(&node);
  return true;
}

/// Along which paddings of one shape differ; -1: none, or more than one.
int axis_of_pads(const std::vector<const Node*>& pads) {
  int axis = -1;
  for (int d = 0; d < pads[0]->type().shape.ndim(); ++d) {
    const auto at = [&](const Node* pad, const char* side) {
      return per_axis(*pad, side, 0)[static_cast<size_t>(d)];
    };
    const bool is_same = std::ranges::all_of(pads, [&](const Node* pad) {
      return at(pad, "low") == at(pads[0], "low") && at(pad, "high") == at(pads[0], "high");
    });
    if (is_same) continue;
    if (axis >= 0) return -1;
    axis = d;
  }
  return axis;
}

/// Where one has elements the others have zeros: so come gradients of slices of one tensor. Adding
/// the zero still turns -0 to +0.
Value sum_of_pads(const Node& node, RuleBuilder& build) {
  const auto is_pad = [](Value x) { return x.node->op() == OpKind::pad; };
  if (std::ranges::none_of(node.operands(), is_pad)) return {};  // no walks along other sums
  std::vector<const Node*> pads;
  const auto adds_pads = [&](Value x) { return x.type() == node.type() && collect_pads(x, pads); };
  if (!std::ranges::all_of(node.operands(), adds_pads)) return {};
  const int axis = axis_of_pads(pads);
  if (axis < 0) return {};
  const auto low = [&](const Node* pad) {
    return per_axis(*pad, "low", 0)[static_cast<size_t>(axis)];
  };
  std::ranges::sort(pads, {}, low);
  std::vector<Value> parts;
  int64_t end = low(pads[0]);
  for (const Node* pad : pads) {
    if (low(pad) != end) return {};
    end += pad->operand(0).type().shape[axis];
    parts.push_back(without_added_zero(pad->operand(0)));
  }
  const Value zero = pads[0]->operand(1);
  Value joined = build.op(OpKind::concat, std::move(parts), {{"axis", int64_t{axis}}});
  joined = build.op(OpKind::add, {joined, zero});
  Integers high = per_axis(*pads[0], "high", 0);
  high[static_cast<size_t>(axis)] = per_axis(*pads.back(), "high", 0)[static_cast<size_t>(axis)];
  return build.op(OpKind::pad,
                  {joined, zero},
                  {{"low", per_axis(*pads[0], "low", 0)}, {"high", std::move(high)}});
}

Value scatter_nothing(const Node& node, RuleBuilder& /*build*/) {
  return node.operand(2).type().numel() == 0 ? node.operand(0) : Value{};
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
    {"slice-of-argsort", OpKind::slice, slice_of_argsort},
    {"concat-of-one", OpKind::concat, concat_of_one},
    {"concat-flatten", OpKind::concat, concat_flatten},
    {"concat-of-stacks", OpKind::concat, concat_of_stacks},
    {"pad-nothing", OpKind::pad, pad_nothing},
    {"sum-of-pads", OpKind::add, sum_of_pads},
    {"scatter-nothing", OpKind::scatter, scatter_nothing},
};

}  // namespace

std::span<const Rule> movement_rules() {
  return kMovementRules;
}

}  // namespace wick::passes
