#pragma once

// What is known about the elements of a value.

#include <optional>

#include "wick/ir/graph.h"

namespace wick::passes {

/// True for a constant, also seen through movement ops.
bool is_constant(ir::Value value);

/// The number that every element equals, where a constant says so, also seen through movement ops
/// that only repeat or rearrange. Integers beyond 2^53 lose digits; a zero keeps its sign.
std::optional<double> splat_number(ir::Value value);

/// Every element equals `number` by ==: 0 stands for both zeros.
bool is_splat(ir::Value value, double number);

/// No element is negative or -0; NaN may be. For floats; false means unknown.
bool is_never_negative(ir::Value value);

}  // namespace wick::passes
