#pragma once

// The rules of the canonicalizer: rows of tables, one table a family of ops. Internal to passes/.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wick/passes/per_axis.h"
#include "wick/passes/rewrite.h"

namespace wick::passes {

std::span<const Rule> arithmetic_rules();
std::span<const Rule> exponential_rules();
std::span<const Rule> gather_rules();
std::span<const Rule> logic_rules();
std::span<const Rule> cast_rules();
std::span<const Rule> movement_rules();
std::span<const Rule> pad_rules();
std::span<const Rule> concat_rules();
std::span<const Rule> reduction_rules();
std::span<const Rule> contraction_rules();
std::span<const Rule> summand_rules();
std::span<const Rule> diagonal_rules();
std::span<const Rule> pooling_rules();
std::span<const Rule> sort_rules();
std::span<const TraitRule> elementwise_rules();
std::span<const TraitRule> part_rules();

/// Puts the operands of commutative ops in an order that depends on their expressions alone,
/// constants last. Returns how many nodes changed.
int64_t order_commutative_operands(ir::Graph& graph);

/// After where(x <= c, d, x), d <= c, what asks whether x <= c asks it of the result, which gives
/// the same answer: gradients of ReLU then need neither x nor a mask where the result is kept
/// anyway. Returns how many operands changed.
int64_t read_masks_from_clamps(ir::Graph& graph);

/// Takes sums apart that wait for other sums of the same elements, where parts that wait for less
/// give the same. Returns how many changed.
int64_t split_waiting_sums(ir::Graph& graph);

inline bool is_all(const std::vector<int64_t>& numbers, int64_t value) {
  return std::ranges::all_of(numbers, [&](int64_t number) { return number == value; });
}

/// The value's producer if it is of this op, else null.
inline const ir::Node* producer(ir::Value value, ir::OpKind op) {
  return value.node->op() == op ? value.node : nullptr;
}

}  // namespace wick::passes
