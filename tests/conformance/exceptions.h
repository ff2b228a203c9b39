#pragma once

#include <map>
#include <string>

namespace wick::conformance {

/// Cases that may fail, by name, each with its reason: lines `NAME REASON`, comments after `#`.
/// Throws std::runtime_error for a file that cannot be read and for a line without a reason.
std::map<std::string, std::string> read_exceptions(const std::string& path);

}  // namespace wick::conformance
