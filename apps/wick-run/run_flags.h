#pragma once

// The command line of wick-run.

#include <optional>
#include <string>

#include "inputs.h"

namespace CLI {
class App;
}

namespace wick::run {

struct RunFlags {
  std::string file;
  std::string graph;
  InputFlags inputs;
  std::string reference;  // backend to compare with; empty: none
  bool no_passes = false;
  std::optional<double> bench;  // seconds
  int repeat = 0;
  bool print_plan = false;
  bool print_results = false;
  std::string output;  // folder for results
};

void declare_flags(CLI::App& app, RunFlags& flags);

}  // namespace wick::run
