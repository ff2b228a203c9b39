#pragma once

// Command lines that repeat a compile.

#include <string>
#include <string_view>
#include <vector>

#include "wick/runtime/compile_record.h"

namespace wick::runtime {

/// A line for a shell, and what it does.
struct ReplayCommand {
  std::string purpose;
  std::string command;
};

/// How to repeat a compile of the graph in the file `recorded`, which ran under the switches in
/// force. Without a line for the passes where none ran.
std::vector<ReplayCommand> replay_commands(const CompileRecord& record, std::string_view recorded);

}  // namespace wick::runtime
