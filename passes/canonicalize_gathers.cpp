// Gathers of what is computed: only the elements that are picked are.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// How an operand of what is picked from gives its share.
enum class Share : uint8_t { same, picked, column };

/// Of elements along `axis`: an operand that broadcasts along it is what it is.
std::optional<Share> share_along(const Shape& operand, const Shape& x, int axis) {
  const int missing = x.ndim() - operand.ndim();
  const int at = axis - missing;
  if (at < 0 || operand[at] == 1) return Share::same;
  if (operand == x) return Share::picked;
  const bool is_column = operand.numel() == operand[at];
  return is_column ? std::optional(Share::column) : std::nullopt;
}

/// Of whole slices, whose axis becomes those of the indices.
std::optional<Share> share_of_slices(const Shape& operand, const Shape& x, int axis) {
  if (operand.ndim() == 0) return Share::same;
  const bool is_whole = operand.ndim() == x.ndim() && operand[axis] == x[axis];
  return is_whole ? std::optional(Share::picked) : std::nullopt;
}

/// gather(f(x, y), i) = f(gather(x, i), gather(y, i)), where far fewer elements are picked than
/// there are, which may all be computed for others as well: the label's entry of log_softmax needs
/// no other.
Value gather_of_elementwise(const Node& node, RuleBuilder& build) {
  constexpr int64_t kFewer = 8;
  const Node& source = *node.operand(0).node;
  if (!ir::has(source.op(), ir::kElementwise) || source.num_results() != 1) return {};
  const Shape& x = source.type().shape;
  if (kFewer * node.type().numel() > x.numel()) return {};
  const auto axis = static_cast<int>(node.attributes().integer("axis", 0));
  const bool along = node.attributes().flag("along");
  std::vector<Share> shares;
  for (const Value operand : source.operands()) {
    const Shape& shape = operand.type().shape;
    const auto share = along ? share_along(shape, x, axis) : share_of_slices(shape, x, axis);
    if (!share) return {};
    shares.push_back(*share);
  }
  const Value indices = node.operand(1);
  std::vector<Value> operands;
  for (size_t i = 0; i < shares.size(); ++i) {
    const Value operand = source.operands()[i];
    if (shares[i] == Share::same) {
      operands.push_back(operand);
    } else if (shares[i] == Share::picked) {
      operands.push_back(build.op(OpKind::gather, {operand, indices}, node.attributes()));
    } else {
      const Value column = build.reshape(operand, {operand.type().numel()});
      operands.push_back(build.op(OpKind::gather, {column, indices}, {{"axis", int64_t{0}}}));
    }
  }
  return build.spread(build.op(source.op(), std::move(operands), source.attributes()));
}

const Rule kGatherRules[] = {
    {"gather-of-elementwise", OpKind::gather, gather_of_elementwise},
};

}  // namespace

std::span<const Rule> gather_rules() {
  return kGatherRules;
}

}  // namespace wick::passes
