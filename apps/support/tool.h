#pragma once

// What the command-line tools share.

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace wick::tools {

/// The whole file; `-` is standard input. Throws std::runtime_error.
std::string read_input(const std::string& path);

/// Adds the switches of Wick to a tool's own options, parses the command line, loads the plug-ins
/// it names and calls `work`. Exceptions become one message on standard error and status 1; wrong
/// usage is status 2. Tools verify after every pass unless told not to.
int run_tool(CLI::App& app, int argc, char** argv, const std::function<int()>& work);

}  // namespace wick::tools
