#pragma once

// What changed between two texts, line by line.

#include <string>
#include <string_view>

namespace wick::passes {

/// Hunks as `diff -u` shows them, with three lines of context, without file names; "" for equal
/// texts. With `color`, removed lines are red and added ones green (ANSI escapes).
std::string diff_lines(std::string_view before, std::string_view after, bool color);

}  // namespace wick::passes
