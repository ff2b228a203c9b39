#include "runner.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <regex>
#include <utility>

#include "exceptions.h"
#include "run_case.h"
#include <fmt/format.h>

#include "wick/passes/options.h"

namespace wick::conformance {

namespace {

/// The part of the cases that must pass: ops without an entry and exceptions do not.
constexpr double kMinPassing = 0.995;

}  // namespace

Runner::Runner(const std::string& cases, const std::string& exceptions, const std::string& filter)
    : exceptions_(read_exceptions(exceptions)) {
  const std::regex matches(filter);
  for (Case& c : read_cases(cases)) {
    if (std::regex_search(c.name, matches)) cases_[c.op].push_back(std::move(c));
    ++num_cases_;
  }
}

Counts Runner::run_family(const Family& family, const std::string& backend) const {
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

int Runner::list_missing(const std::vector<Family>& families) const {
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

Counts Runner::run_families(const std::vector<std::string>& names,
                            const std::string& backend) const {
  Counts counts;
  for (const Family& family : families()) {
    const bool is_selected = names.empty() || std::ranges::find(names, family.name) != names.end();
    if (is_selected) counts += run_family(family, backend);
  }
  return counts;
}

int report(const Counts& counts) {
  fmt::print(
      "{} pass, {} fail, {} are exceptions\n", counts.passed, counts.failed, counts.excepted);
  return counts.failed == 0 ? 0 : 1;
}

bool Runner::covers_enough(int num_missing) const {
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

void Runner::run(const Case& c,
                 const Entry& entry,
                 const std::string& backend,
                 Counts& counts) const {
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

}  // namespace wick::conformance
