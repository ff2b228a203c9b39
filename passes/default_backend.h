#pragma once

// Which backend runs programs where nobody chose one.

#include <string_view>

namespace wick {

/// "llvm", or "interpreter" where Wick was built without LLVM.
std::string_view default_backend();

}  // namespace wick
