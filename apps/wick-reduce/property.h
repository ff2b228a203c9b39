#pragma once

// The property that a reduction keeps, asked of processes.

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "child.h"
#include "reducer.h"

namespace wick::reduce {

struct PropertyOptions {
  /// A program that is called with a candidate's path and exits with 0 when it has the property.
  std::string test;
  /// Else: the command fails and what it says matches this.
  std::string expected_error;
  /// `{}` stands for a candidate's path.
  std::vector<std::string> command;
  std::chrono::milliseconds timeout{10'000};
  int jobs = 2;
};

/// wick-run without starting a program.
struct InProcess {
  std::function<void()> prepare;  // before the first process is forked
  std::function<int(const std::vector<std::string>& arguments)> run;
};

class Property {
 public:
  /// Candidates are written to `scratch`. A command whose program is `wick-run` becomes a call
  /// of `wick_run` in a forked process.
  /// Throws std::runtime_error on a bad expression.
  Property(PropertyOptions options, std::filesystem::path scratch, InProcess wick_run);

  /// Runs up to options.jobs candidates at a time.
  std::optional<size_t> first_interesting(
      std::span<const std::unique_ptr<ir::Graph>> candidates) const;

  /// What became of the process for one graph.
  [[nodiscard]] ChildResult run(const ir::Graph& graph) const;
  [[nodiscard]] bool holds(const ChildResult& result) const;

  /// The process's command for a file, for people.
  [[nodiscard]] std::string command_text(const std::string& path) const;

 private:
  [[nodiscard]] Child start(const ir::Graph& graph, size_t number) const;
  [[nodiscard]] std::vector<std::string> arguments_for(const std::string& path) const;

  PropertyOptions options_;
  std::filesystem::path scratch_;
  InProcess wick_run_;
  std::optional<std::regex> expected_;
};

}  // namespace wick::reduce
