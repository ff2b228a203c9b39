#pragma once

// The known name a misspelled one was probably meant to be.

#include <optional>
#include <span>
#include <string_view>

namespace wick::ir {

/// The candidate with the fewest inserted, dropped and replaced characters; the first of several.
/// Empty when even that one is far off.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             std::span<const std::string_view> candidates);

}  // namespace wick::ir
