// Paddings: what has zeros around it or between its elements, and sums of such.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/splat.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;
using Integers = std::vector<int64_t>;

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

/// x = pad(part), or a reshape of that, of which nothing else reads anything.
const Node* pad_behind(Value x) {
  const Node* node = x.node;
  if (node->uses().size() == 1 && node->op() == OpKind::reshape) node = node->operand(0).node;
  const bool is_so = node->uses().size() == 1 && node->op() == OpKind::pad;
  return is_so && surrounds_with_zeros(*node) ? node : nullptr;
}

/// The paddings that a sum adds, through sums that nothing else reads; false where it adds more.
bool collect_pads(Value x, std::vector<const Node*>& pads) {
  if (x.node->op() == OpKind::add && x.node->uses().size() == 1)
    return collect_pads(x.node->operand(0), pads) && collect_pads(x.node->operand(1), pads);
  pads.push_back(pad_behind(x));
  return pads.back() != nullptr;
}

/// A box of a tensor that has zeros elsewhere: what was padded, or others that are joined.
struct Patch {
  Integers begin;
  Integers end;
  Value value;
  std::vector<Patch> parts;  // instead of a value
  size_t axis = 0;           // that the parts are joined along
};

Patch patch_of(const Node& pad) {
  const Value value = without_added_zero(pad.operand(0));
  Patch patch{.begin = per_axis(pad, "low", 0), .end = {}, .value = value, .parts = {}};
  for (size_t d = 0; d < patch.begin.size(); ++d)
    patch.end.push_back(patch.begin[d] + value.type().shape[static_cast<int>(d)]);
  return patch;
}

/// Whether the next patch begins along the axis where the first ends, and is beside it along all
/// others.
bool goes_on(const Patch& first, const Patch& next, size_t axis) {
  for (size_t d = 0; d < first.begin.size(); ++d) {
    const bool is_so = d == axis ? first.end[d] == next.begin[d]
                                 : first.begin[d] == next.begin[d] && first.end[d] == next.end[d];
    if (!is_so) return false;
  }
  return true;
}

/// Joins patches that go on from each other along the axis.
std::vector<Patch> joined_along(std::vector<Patch> patches, size_t axis) {
  std::ranges::stable_sort(patches, {}, [&](const Patch& patch) {
    Integers place = patch.begin;
    place.push_back(std::exchange(place[axis], 0));
    return place;
  });
  std::vector<Patch> joined;
  for (size_t i = 0; i < patches.size();) {
    size_t end = i + 1;
    while (end < patches.size() && goes_on(patches[end - 1], patches[end], axis))
      ++end;
    if (end == i + 1) {
      joined.push_back(patches[i]);
    } else {
      const auto at = [&](size_t n) { return patches.begin() + static_cast<std::ptrdiff_t>(n); };
      joined.push_back({.begin = patches[i].begin,
                        .end = patches[end - 1].end,
                        .value = {},
                        .parts = {at(i), at(end)},
                        .axis = axis});
    }
    i = end;
  }
  return joined;
}

Value built(const Patch& patch, RuleBuilder& build) {
  if (patch.parts.empty()) return patch.value;
  std::vector<Value> parts;
  for (const Patch& part : patch.parts)
    parts.push_back(built(part, build));
  return build.op(OpKind::concat, std::move(parts), {{"axis", static_cast<int64_t>(patch.axis)}});
}

/// Where one has elements the others have zeros: so come gradients of slices of one tensor. Adding
/// the zero still turns -0 to +0.
Value sum_of_pads(const Node& node, RuleBuilder& build) {
  const auto is_padded = [](Value x) { return pad_behind(x) != nullptr; };
  if (std::ranges::none_of(node.operands(), is_padded)) return {};  // no walks along other sums
  std::vector<const Node*> pads;
  const auto adds_pads = [&](Value x) { return x.type() == node.type() && collect_pads(x, pads); };
  if (!std::ranges::all_of(node.operands(), adds_pads)) return {};
  const Type& padded = pads[0]->type();
  std::vector<Patch> patches;
  for (const Node* pad : pads) {
    if (pad->type() != padded) return {};
    patches.push_back(patch_of(*pad));
  }
  const auto rank = static_cast<size_t>(padded.shape.ndim());
  for (size_t axis = rank; axis-- > 0 && patches.size() > 1;)
    patches = joined_along(std::move(patches), axis);
  if (patches.size() > 1) return {};
  const Patch& whole = patches[0];
  Integers high;
  for (size_t d = 0; d < rank; ++d)
    high.push_back(padded.shape[static_cast<int>(d)] - whole.end[d]);
  const Value zero = pads[0]->operand(1);
  const Value joined = build.op(OpKind::add, {built(whole, build), zero});
  return build.reshape(
      build.op(OpKind::pad, {joined, zero}, {{"low", whole.begin}, {"high", std::move(high)}}),
      node.type().shape);
}

/// Puts what is between the elements beside them, along an axis of its own: every reader then knows
/// by the place which it is.
Value pad_between(const Node& node, RuleBuilder& build) {
  constexpr int64_t kMostBetween = 3;
  const Integers between = per_axis(node, "interior", 0);
  Value x = node.operand(0);
  if (x.type().numel() == 0 || is_all(between, 0)) return {};
  if (std::ranges::max(between) > kMostBetween) return {};
  // What becomes a diagonal has rules of its own.
  const auto is_reshape = [](const ir::Use& use) {
    return use.user != nullptr && use.user->op() == OpKind::reshape;
  };
  if (std::ranges::any_of(node.uses(), is_reshape)) return {};
  Integers low = per_axis(node, "low", 0);
  Integers high = per_axis(node, "high", 0);
  std::vector<int64_t> apart;
  std::vector<int64_t> together;
  Integers low_apart;
  Integers high_apart;
  for (size_t d = 0; d < between.size(); ++d) {
    const int64_t extent = x.type().shape[static_cast<int>(d)];
    const int64_t period = between[d] + 1;
    apart.push_back(extent);
    together.push_back(extent * period);
    low_apart.push_back(0);
    high_apart.push_back(0);
    if (period == 1) continue;
    const int64_t place = (low[d] % period + period) % period;
    apart.push_back(1);
    low_apart.push_back(place);
    high_apart.push_back(period - 1 - place);
    low[d] -= place;
    high[d] -= period - 1 - place;
  }
  x = build.reshape(x, Shape(apart));
  x = build.op(OpKind::pad,
               {x, node.operand(1)},
               {{"low", std::move(low_apart)}, {"high", std::move(high_apart)}});
  x = build.reshape(x, Shape(together));
  if (is_all(low, 0) && is_all(high, 0)) return x;
  return build.op(
      OpKind::pad, {x, node.operand(1)}, {{"low", std::move(low)}, {"high", std::move(high)}});
}

const Rule kPadRules[] = {
    {"pad-nothing", OpKind::pad, pad_nothing},
    {"pad-between", OpKind::pad, pad_between},
    {"sum-of-pads", OpKind::add, sum_of_pads},
};

}  // namespace

std::span<const Rule> pad_rules() {
  return kPadRules;
}

}  // namespace wick::passes
