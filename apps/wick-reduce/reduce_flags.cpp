#include "reduce_flags.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace wick::reduce {

namespace {

constexpr auto kExamples = R"(Examples:
  wick-reduce step.wick --expect-error='mismatch: result'
      the smallest program that LLVM and the interpreter disagree on
  wick-reduce step.wick --expect-error='signal 11' -- wick-run {} --backend=my-backend
      the smallest program that crashes a backend
  wick-reduce pass.wick --expect-error='verif' -- wick-opt --pass-pipeline=my-pass --verify-each {}
      the smallest graph that a pass breaks
  wick-reduce step.wick --test=./still-slow.sh --timeout=60
      a program of your own: called with a candidate's path, exit code 0 keeps it)";

}  // namespace

void declare_flags(CLI::App& app, ReduceFlags& flags) {
  app.footer(kExamples);
  app.add_option("file", flags.file, "file of graph IR; - is standard input")->required();
  app.add_option("command",
                 flags.property.command,
                 "after --: what to run on a candidate, whose path {} stands for; default: "
                 "wick-run {} --reference=interpreter");
  app.add_option("--graph", flags.graph, "which graph of the file");
  auto* test = app.add_option("--test",
                              flags.property.test,
                              "program that exits with 0 for a graph that is still interesting");
  app.add_option("--expect-error",
                 flags.property.expected_error,
                 "the command fails and prints what matches this; an end by a signal reads "
                 "'signal 11', one by the time limit 'timed out'")
      ->excludes(test);
  app.add_option("--timeout", flags.timeout, "seconds for one candidate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("-j,--jobs", flags.property.jobs, "candidates at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("-o,--output", flags.output, "default: FILE.reduced.wick");
}

void complete(ReduceFlags& flags) {
  PropertyOptions& property = flags.property;
  if (property.test.empty() && property.expected_error.empty())
    throw std::runtime_error("what should stay? Give --test or --expect-error");
  if (!property.test.empty() && !property.command.empty())
    throw std::runtime_error("a command goes with --expect-error, --test names its own");
  // A script beside the file is meant, not one on the PATH.
  if (std::filesystem::exists(property.test))
    property.test = std::filesystem::absolute(property.test);
  if (property.command.empty()) property.command = {"wick-run", "{}", "--reference=interpreter"};
  const auto takes_candidate = [](const std::string& argument) {
    return argument.find("{}") != std::string::npos;
  };
  if (std::ranges::none_of(property.command, takes_candidate))
    throw std::runtime_error("the command does not say where the candidate's path goes: {}");
  property.timeout = std::chrono::milliseconds(static_cast<int64_t>(flags.timeout * 1000));
  if (flags.output.empty()) {
    std::filesystem::path path = flags.file == "-" ? "graph.wick" : flags.file;
    flags.output = path.replace_extension(".reduced.wick");
  }
}

}  // namespace wick::reduce
