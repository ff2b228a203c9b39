#pragma once

// Runs the cases of a family on a backend and counts.

#include <map>
#include <string>
#include <vector>

#include "case_file.h"
#include "table.h"

namespace wick::conformance {

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

/// Prints the totals; the exit status of a program that ran them.
int report(const Counts& counts);

class Runner {
 public:
  /// Reads the cases whose names match `filter`, a regular expression, and the list of exceptions.
  Runner(const std::string& cases, const std::string& exceptions, const std::string& filter);

  /// Prints what fails, and how many pass. Other options are those in force.
  [[nodiscard]] Counts run_family(const Family& family, const std::string& backend) const;

  /// The families of these names, all where there are none.
  [[nodiscard]] Counts run_families(const std::vector<std::string>& names,
                                    const std::string& backend) const;

  /// Prints the ops that have no entry; the number of their cases.
  [[nodiscard]] int list_missing(const std::vector<Family>& families) const;

  /// Says how many cases can pass where so many lack an entry.
  [[nodiscard]] bool covers_enough(int num_missing) const;

 private:
  void run(const Case& c, const Entry& entry, const std::string& backend, Counts& counts) const;

  std::map<std::string, std::vector<Case>> cases_;  // by op
  std::map<std::string, std::string> exceptions_;
  int num_cases_ = 0;
};

}  // namespace wick::conformance
