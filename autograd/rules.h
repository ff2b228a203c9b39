#pragma once

// The table of gradient rules: for each op and each of its operands, how a cotangent of the result
// becomes one of the operand. A missing row does not build.

#include <array>
#include <span>

#include "wick/autograd/term.h"
#include "wick/ir/op.h"
#include "wick/tensor/node.h"

namespace wick::autograd {

/// What a rule may look at: one recorded op, and the cotangent of its result.
struct Step {
  const detail::Node& node;
  std::span<const Tensor> operands;
  Tensor result_cotangent;
  int index;  // the operand whose gradient is asked for

  [[nodiscard]] Term term(Tensor tensor) const { return {std::move(tensor), node.where()}; }

  [[nodiscard]] Term cotangent() const { return term(result_cotangent); }

  [[nodiscard]] Term operand(int i) const { return term(operands[static_cast<size_t>(i)]); }

  [[nodiscard]] Term output() const;

  [[nodiscard]] const ir::Attributes& attributes() const { return node.attributes(); }
};

/// Elementwise rules may give a gradient of the broadcast shape: the engine sums it.
using Rule = Term (*)(const Step&);

struct GradientRow {
  ir::OpKind op;
  std::array<Rule, 3> rules{};  // by operand; null: no gradient flows
};

/// The rule for one operand; null when no gradient flows to it.
Rule find_rule(ir::OpKind op, int operand);

/// A row per op of the family.
std::span<const GradientRow> unary_rules();
std::span<const GradientRow> binary_rules();
std::span<const GradientRow> reduction_rules();
std::span<const GradientRow> movement_rules();
std::span<const GradientRow> opaque_rules();
std::span<const GradientRow> contraction_rules();
std::span<const GradientRow> pooling_rules();

enum class Family : uint8_t {
  unary,
  binary,
  reduction,
  movement,
  opaque,
  contraction,
  pooling,
  none
};

/// The family of an op, by its traits.
constexpr Family family(uint32_t traits, int max_operands) {
  if ((traits & ir::kElementwise) != 0) return max_operands == 1 ? Family::unary : Family::binary;
  if ((traits & ir::kReduction) != 0) return Family::reduction;
  if ((traits & ir::kStructure) != 0) return Family::none;
  if ((traits & ir::kMovement) != 0) return Family::movement;
  if ((traits & ir::kOpaque) != 0) return Family::opaque;
  if ((traits & ir::kContraction) != 0) return Family::contraction;
  if ((traits & ir::kPooling) != 0) return Family::pooling;
  return Family::none;
}

/// Whether the rows are those of a family, each once.
constexpr bool covers(std::span<const GradientRow> rows, Family wanted) {
  using enum ir::OpTrait;  // the table names traits without their namespace
  constexpr std::array<Family, ir::kNumOps> kFamilies = {
#define WICK_OP(name, min_operands, max_operands, infer, traits, summary) \
  family(traits, max_operands),
#include "wick/ir/ops.def"
#undef WICK_OP
  };
  std::array<int, ir::kNumOps> seen{};
  for (const GradientRow& row : rows)
    ++seen[static_cast<size_t>(row.op)];
  for (size_t op = 0; op < kFamilies.size(); ++op) {
    if (seen[op] != (kFamilies[op] == wanted ? 1 : 0)) return false;
  }
  return true;
}

}  // namespace wick::autograd
