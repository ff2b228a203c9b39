#pragma once

#include <string_view>

namespace wick::ir {

/// Whether the text is well-formed UTF-8.
bool is_utf8(std::string_view text);

}  // namespace wick::ir
