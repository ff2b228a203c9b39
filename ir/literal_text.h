#pragma once

// Numbers, strings and literals as text that reads back to the same bits. Internal to ir/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wick/ir/literal.h"

namespace wick::ir {

/// Shortest form that reads back, always with a point, an exponent or a name: `1.0`, `-inf`,
/// `nan(0x7ff8000000000001)`.
std::string number_text(double value);

/// `"a \"b\"\n"`.
std::string quoted(std::string_view text);

/// `dense<f32[2]: 1.5, -2>`, `dense<f32[1000]: splat 0>`, `dense<f32[0]>`.
std::string literal_text(const Literal& literal);

}  // namespace wick::ir
