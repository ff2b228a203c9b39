#include "support/tool.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/ir/error.h"
#include "wick/ir/parser.h"
#include "wick/passes/options.h"
#include "wick/passes/plugin.h"
#include "wick/passes/switches.h"

namespace wick::tools {

std::string read_input(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot open {}", path));
  try {
    return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {  // a folder
    throw std::runtime_error(fmt::format("cannot read {}", path));
  }
}

int run_tool(CLI::App& app, int argc, char** argv, const std::function<int()>& work) {
  constexpr int kWrongUsage = 2;
  try {
    Options& options = wick::options();
    options.verify_each = true;
    declare_switches(app, options);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : kWrongUsage;
    }
    for (const std::string& path : options.plugins)
      passes::load_plugin(path);
    const int status = work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw std::runtime_error("cannot write to standard output");
    }
    return status;
  } catch (const ir::ParseError& error) {
    fmt::print(stderr, "{}\n", error.what());  // says the place itself
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: error: {}\n", app.get_name(), error.what());
  }
  return 1;
}

}  // namespace wick::tools
