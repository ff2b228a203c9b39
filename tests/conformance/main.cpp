// Runs the operator cases that PyTorch computed: outputs and gradients, on each backend.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "runner.h"
#include "support/test_file.h"
#include "table.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wick::conformance {
namespace {

/// The interpreter, and what is the default where that is another.
std::vector<std::string> both_backends() {
  std::vector<std::string> backends{"interpreter"};
  if (options().backend != backends.front()) backends.push_back(options().backend);
  return backends;
}

struct Flags {
  std::string cases = test_file(WICK_CONFORMANCE_CASES);
  std::string exceptions = test_file(WICK_SOURCE_DIR "/tests/conformance/exceptions.txt");
  std::string filter = ".*";
  std::vector<std::string> families;
  std::vector<std::string> backends = both_backends();
  bool list_missing = false;
  bool strict = false;
};

int run(const Flags& flags) {
  const Runner runner(flags.cases, flags.exceptions, flags.filter);
  if (flags.list_missing) {
    return runner.covers_enough(runner.list_missing(families())) || !flags.strict ? 0 : 1;
  }
  Counts counts;
  for (const std::string& backend : flags.backends)
    counts += runner.run_families(flags.families, backend);
  return report(counts);
}

}  // namespace
}  // namespace wick::conformance

int main(int argc, char** argv) {
  wick::conformance::Flags flags;
  CLI::App app("Runs the operator cases that PyTorch computed.", "test_conformance");
  app.add_option("--cases", flags.cases, "folder with cases.jsonl");
  app.add_option("--exceptions", flags.exceptions, "file of cases that may fail");
  app.add_option("--filter", flags.filter, "regular expression over the names of cases");
  app.add_option("--family", flags.families, "families to run; all by default");
  app.add_option("--backend",
                 flags.backends,
                 "backends to run on; the interpreter and that of WICK_BACKEND by default");
  app.add_flag("--list-missing", flags.list_missing, "print the ops that the table lacks");
  app.add_flag("--strict", flags.strict, "with --list-missing: fail where under 99.5 % can pass");
  CLI11_PARSE(app, argc, argv);
  try {
    return wick::conformance::run(flags);
  } catch (const std::exception& error) {
    fmt::print(stderr, "test_conformance: {}\n", error.what());
    return 2;
  }
}
