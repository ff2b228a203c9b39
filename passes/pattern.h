#pragma once

// Patterns over the values of a graph, for rules and passes.
//
//     using namespace wick::passes::pattern;
//     ir::Value x;
//     double factor = 0;
//     if (matches(value, op(OpKind::mul, any(x), splat(factor)))) ...
//
// An op that commutes matches with its two operands in either order; an inner match is not taken
// back for the sake of a later same(). What a failed match has bound is unspecified.

#include <tuple>
#include <utility>

#include "wick/ir/graph.h"
#include "wick/passes/splat.h"

namespace wick::passes::pattern {

struct Any {
  ir::Value* value;

  bool operator()(ir::Value given) const {
    if (value != nullptr) *value = given;
    return true;
  }
};

/// Any value.
inline Any any() {
  return {nullptr};
}

/// Any value, which `value` becomes.
inline Any any(ir::Value& value) {
  return {&value};
}

/// The value that `value` is when the match comes to it: `op(sub, any(x), same(x))`.
inline auto same(const ir::Value& value) {
  return [&value](ir::Value given) { return given == value; };
}

/// A constant of which every element equals `number`.
inline auto splat_of(double number) {
  return [number](ir::Value given) { return is_splat(given, number); };
}

/// A constant of which every element is the same, which `number` becomes.
inline auto splat(double& number) {
  return [&number](ir::Value given) {
    const auto found = splat_number(given);
    if (found) number = *found;
    return found.has_value();
  };
}

/// The result of `kind` over operands that match.
template <class... Patterns>
auto op(ir::OpKind kind, Patterns... patterns) {
  return [kind, patterns = std::make_tuple(std::move(patterns)...)](ir::Value given) {
    const ir::Node& node = *given.node;
    constexpr int kCount = sizeof...(Patterns);
    if (node.op() != kind || node.num_operands() != kCount) return false;
    const auto match = [&]<size_t... I>(std::index_sequence<I...>, bool swapped) {
      const auto operand = [&](size_t i) {
        return node.operand(swapped ? 1 - static_cast<int>(i) : static_cast<int>(i));
      };
      return (std::get<I>(patterns)(operand(I)) && ...);
    };
    constexpr auto kAll = std::index_sequence_for<Patterns...>();
    if (match(kAll, false)) return true;
    if constexpr (kCount == 2) {
      return ir::has(kind, ir::kCommutative) && match(kAll, true);
    }
    return false;
  };
}

/// The value matches, is read nowhere else, and so may be taken apart.
template <class Pattern>
auto only_use(Pattern pattern) {
  return [pattern = std::move(pattern)](ir::Value given) {
    return given.node->uses().size() == 1 && pattern(given);
  };
}

template <class Pattern>
bool matches(ir::Value value, const Pattern& pattern) {
  return pattern(value);
}

}  // namespace wick::passes::pattern
