#pragma once

// The page that lists all compiles in a dump folder.

#include <filesystem>

namespace wick::runtime {

inline constexpr const char* kDumpIndex = "index.html";

/// Lists what lies in the folder: the compiles of this process and of any other. Processes that
/// call it at one time take turns. Throws std::runtime_error when it cannot be written.
void write_dump_index(const std::filesystem::path& root);

}  // namespace wick::runtime
