#pragma once

// The ops of kernels as C expressions.

#include <span>
#include <string>
#include <string_view>

#include "wick/ir/literal.h"
#include "wick/ir/op.h"

namespace c_backend {

/// `float`, `int32_t`, `f16`...
std::string_view c_type(wick::DType dtype);

/// A value of one element.
std::string c_constant(const wick::Literal& value);

/// An elementwise op. The operands are names of C variables, all of `dtype`, a bool first for
/// where. Throws std::runtime_error for an op that is none of Wick's elementwise ops, as one that a
/// plug-in defines.
std::string c_compute(wick::ir::OpKind op,
                      wick::DType dtype,
                      std::span<const std::string> operands);

std::string c_cast(const std::string& value, wick::DType from, wick::DType to);

/// How a reduction that is no argmax takes `value` into its `state`.
struct Accumulation {
  std::string type;
  std::string start;
  std::string next;    // of the state
  std::string result;  // from the state
};

Accumulation c_accumulation(wick::ir::OpKind op,
                            wick::DType dtype,
                            const std::string& state,
                            const std::string& value);

/// Whether `value` takes the place of `best` in an argmax.
std::string c_beats(wick::DType dtype, const std::string& value, const std::string& best);

}  // namespace c_backend
