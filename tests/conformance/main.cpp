// Runs the operator cases that PyTorch computed: outputs and gradients, on each backend.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "case_file.h"
#include "exceptions.h"
#include "run_case.h"
#include "table.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "wick/passes/options.h"

namespace wick::conformance {
namespace {

struct Flags {
  std::string cases = WICK_CONFORMANCE_CASES;
  std::string exceptions = WICK_SOURCE_DIR "/tests/conformance/exceptions.txt";
  std::string filter = ".*";
  std::vector<std::string> families;
  std::vector<std::string> backends = {"interpreter", "llvm"};
  bool list_missing = false;
  bool strict = false;
};

struct Counts {
  int passed = 0;
  int failed = 0;
  int excepted = 0;  // failed, and listed as an exception

  [[nodiscard]] int total() const { return passed + failed + excepted; }

  Counts& operator+=(const Counts& other) {
    passed += other.passed;
    failed += other.failed;
    excepted += other.excepted;
    return *this;
  }
};

/// The part of the cases that must pass: ops without an entry and exceptions do not.
constexpr double kMinPassing = 0.995;

class Runner {
 public:
  explicit Runner(const Flags& flags) : exceptions_(read_exceptions(flags.exceptions)) {
    const std::regex filter(flags.filter);
    for (Case& c : read_cases(flags.cases)) {
      if (std::regex_search(c.name, filter)) cases_[c.op].push_back(std::move(c));
      ++num_cases_;
    }
  }

  [[nodiscard]] Counts run_family(const Family& family, const std::string& backend) const {
    Options options = wick::options();
    options.backend = backend;
    const ScopedOptions scope(std::move(options));
    Counts counts;
    for (const Entry& entry : family.entries) {
      const auto cases = cases_.find(entry.op);
      if (cases == cases_.end()) continue;
      for (const Case& c : cases->second)
        run(c, entry, backend, counts);
    }
    if (counts.total() > 0) {
      fmt::print("{} on {}: {} of {} pass\n", family.name, backend, counts.passed, counts.total());
      std::fflush(stdout);
    }
    return counts;
  }

  /// Prints the ops that have no entry; the number of their cases.
  [[nodiscard]] int list_missing(const std::vector<Family>& families) const {
    std::map<std::string, std::vector<Case>> missing = cases_;
    for (const Family& family : families) {
      for (const Entry& entry : family.entries)
        missing.erase(entry.op);
    }
    int count = 0;
    for (const auto& [op, cases] : missing) {
      fmt::print("no entry for {}: {} cases\n", op, cases.size());
      count += static_cast<int>(cases.size());
    }
    return count;
  }

  /// Says how many cases can pass where so many lack an entry.
  [[nodiscard]] bool covers_enough(int num_missing) const {
    const auto num_exceptions = static_cast<int>(exceptions_.size());
    const int passing = num_cases_ - num_missing - num_exceptions;
    const double rate = static_cast<double>(passing) / num_cases_;
    fmt::print("{} cases lack an entry, {} are exceptions: {} of {}, {:.2f} %, can pass\n",
               num_missing,
               num_exceptions,
               passing,
               num_cases_,
               100 * rate);
    return rate >= kMinPassing;
  }

 private:
  void run(const Case& c, const Entry& entry, const std::string& backend, Counts& counts) const {
    const std::optional<std::string> failure = run_case(c, entry);
    const bool is_excepted = exceptions_.contains(c.name);
    if (failure && is_excepted) {
      ++counts.excepted;
    } else if (failure) {
      ++counts.failed;
      fmt::print("  {} on {}: {}\n", c.name, backend, *failure);
    } else if (is_excepted) {
      ++counts.failed;
      fmt::print("  {} on {}: is listed as an exception but passes\n", c.name, backend);
    } else {
      ++counts.passed;
    }
  }

  std::map<std::string, std::vector<Case>> cases_;  // by op
  std::map<std::string, std::string> exceptions_;
  int num_cases_ = 0;
};

bool is_selected(const Family& family, const Flags& flags) {
  return flags.families.empty() ||
         std::ranges::find(flags.families, family.name) != flags.families.end();
}

int run(const Flags& flags) {
  const Runner runner(flags);
  const std::vector<Family> table = families();
  if (flags.list_missing) {
    return runner.covers_enough(runner.list_missing(table)) || !flags.strict ? 0 : 1;
  }
  Counts counts;
  for (const std::string& backend : flags.backends) {
    for (const Family& family : table) {
      if (is_selected(family, flags)) counts += runner.run_family(family, backend);
    }
  }
  fmt::print(
      "{} pass, {} fail, {} are exceptions\n", counts.passed, counts.failed, counts.excepted);
  return counts.failed == 0 ? 0 : 1;
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
  app.add_option("--backend", flags.backends, "backends to run on; both by default");
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
