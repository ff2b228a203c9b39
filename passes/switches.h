#pragma once

// The command-line form of the switches.

#include <string>
#include <vector>

#include "wick/passes/options.h"

namespace CLI {
class App;
}

namespace wick {

/// Adds every switch to a program's command line, its variable included: what `app` parses goes to
/// `options`, which must outlive it.
void declare_switches(CLI::App& app, Options& options);

/// A switch as docs/flags.md shows it.
struct SwitchInfo {
  std::string flag;      // --pass-pipeline
  std::string variable;  // WICK_PASS_PIPELINE
  std::string summary;
};

std::vector<SwitchInfo> switch_table();

/// Reads the flags of one text, as in WICK_FLAGS, and then the variables of the environment. Throws
/// std::invalid_argument.
void parse_switches(const std::string& flags, Options& options);

}  // namespace wick
