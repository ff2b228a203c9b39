#pragma once

// The functions of Wick's public headers; list_functions.py writes the table while wick-opt is
// built and says which functions count.

#include <span>
#include <string_view>

namespace wick::tools {

struct Function {
  std::string_view header;  // `tensor/linalg.h`
  std::string_view name;    // `linalg::qr`
};

/// Ordered by header, each name once.
std::span<const Function> functions();

}  // namespace wick::tools
