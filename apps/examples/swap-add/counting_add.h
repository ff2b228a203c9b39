#pragma once

// `demo.counting_add x, y {program, add}`: all that the built-in add is, and counted.

#include <string_view>

namespace swap_add {

inline constexpr std::string_view kOpName = "demo.counting_add";

void register_counting_add();

}  // namespace swap_add
