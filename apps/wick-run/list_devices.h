#pragma once

// What wick-run --list-devices prints.

#include <string>

namespace wick::run {

/// The processor, each GPU or why there is none, and the CUDA libraries with their versions or why
/// they are missing, a line each.
std::string devices_text();

}  // namespace wick::run
