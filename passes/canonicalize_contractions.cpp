#include <numeric>
#include <utility>

#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

bool swaps_last_axes(const Node& permute) {
  const std::vector<int64_t>& axes = permute.attributes().integers("axes");
  if (axes.size() < 2) return false;
  std::vector<int64_t> swapped(axes.size());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[axes.size() - 1], swapped[axes.size() - 2]);
  return axes == swapped;
}

/// Libraries read a transposed operand as fast as a plain one.
Value matmul_of_transpose(const Node& node, RuleBuilder& build) {
  constexpr std::string_view kFlags[] = {"transpose_lhs", "transpose_rhs"};
  for (const int side : {0, 1}) {
    const Node* permute = producer(node.operand(side), OpKind::permute);
    if (permute == nullptr || !swaps_last_axes(*permute)) continue;
    std::vector<Value> operands(node.operands().begin(), node.operands().end());
    operands[static_cast<size_t>(side)] = permute->operand(0);
    ir::Attributes attributes = node.attributes();
    if (attributes.flag(kFlags[side])) {
      attributes.erase(kFlags[side]);
    } else {
      attributes.set(kFlags[side], true);
    }
    return build.op(OpKind::matmul, std::move(operands), std::move(attributes));
  }
  return {};
}

/// (a b)^T = b^T a^T: the gradient of a transposed weight comes out as the weight lies in memory,
/// so that its update runs over both in order, and in place.
Value transpose_of_matmul(const Node& node, RuleBuilder& build) {
  const Node* matmul = producer(node.operand(0), OpKind::matmul);
  if (matmul == nullptr || matmul->uses().size() != 1 || !swaps_last_axes(node)) return {};
  ir::Attributes attributes;
  if (!matmul->attributes().flag("transpose_rhs")) attributes.set("transpose_lhs", true);
  if (!matmul->attributes().flag("transpose_lhs")) attributes.set("transpose_rhs", true);
  return build.op(OpKind::matmul, {matmul->operand(1), matmul->operand(0)}, std::move(attributes));
}

/// Libraries compute in f32. Half types are widened on the way in, which fuses with what makes
/// them, and rounded once on the way out.
Value half_in_f32(const Node& node, RuleBuilder& build) {
  const DType dtype = node.type().dtype;
  if (dtype != DType::f16 && dtype != DType::bf16) return {};
  std::vector<Value> operands;
  for (const Value operand : node.operands())
    operands.push_back(build.op(OpKind::cast, {operand}, {{"dtype", DType::f32}}));
  const Value wide = build.op(node.op(), std::move(operands), node.attributes());
  return build.op(OpKind::cast, {wide}, {{"dtype", dtype}});
}

const Rule kContractionRules[] = {
    {"matmul-of-transpose", OpKind::matmul, matmul_of_transpose},
    {"transpose-of-matmul", OpKind::permute, transpose_of_matmul},
    {"half-in-f32", OpKind::matmul, half_in_f32},
    {"half-in-f32", OpKind::conv, half_in_f32},
    {"half-in-f32", OpKind::conv_input_grad, half_in_f32},
    {"half-in-f32", OpKind::conv_weight_grad, half_in_f32},
    {"half-in-f32", OpKind::max_pool2d, half_in_f32},
    {"half-in-f32", OpKind::max_pool2d_grad, half_in_f32},
    {"half-in-f32", OpKind::avg_pool2d, half_in_f32},
    {"half-in-f32", OpKind::avg_pool2d_grad, half_in_f32},
};

}  // namespace

std::span<const Rule> contraction_rules() {
  return kContractionRules;
}

}  // namespace wick::passes
