#pragma once

// Broken invariants of Wick itself. A user's mistake is an `Error` (wick/ir/error.h) instead.

#include <source_location>
#include <string_view>

namespace wick {

/// Throws std::logic_error naming the place when a broken invariant is found.
[[noreturn]] void check_failed(std::string_view what, std::source_location where);

/// Always on: the cost of a predictable branch buys a report instead of a wrong result.
inline void check(bool condition,
                  std::string_view what,
                  std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]] {
    check_failed(what, where);
  }
}

}  // namespace wick
