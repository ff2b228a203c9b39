#pragma once

// The files of one compile in its dump folder.

#include <filesystem>
#include <string>
#include <vector>

#include "wick/runtime/compile_record.h"

namespace wick::runtime {

/// Writes all files but the index into a folder that exists. Throws std::runtime_error naming the
/// file that cannot be written.
void write_dump_files(const CompileRecord& record, const std::filesystem::path& folder);

/// Writes under another name, then renames: a reader never sees half a file.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

}  // namespace wick::runtime
