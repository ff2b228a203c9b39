#pragma once

// Element types as the device text spells them (codegen/cuda/device/types.cuh).

#include <string>
#include <string_view>

#include "wick/ir/literal.h"

namespace wick::codegen::cuda {

/// Of an element in memory: `Half` for f16.
std::string_view memory_type(DType dtype);

/// Of a value: `float` for f16 and bf16.
std::string_view register_type(DType dtype);

/// A rank-0 literal as an expression of its register type.
std::string literal_text(const Literal& value);

}  // namespace wick::codegen::cuda
