#include "property.h"

#include <deque>
#include <stdexcept>
#include <utility>

#include "support/graph_file.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

namespace wick::reduce {

namespace {

constexpr std::string_view kPlaceholder = "{}";
constexpr std::string_view kInProcess = "wick-run";

std::regex compiled(const std::string& expression) {
  try {
    return std::regex(expression, std::regex::ECMAScript | std::regex::multiline);
  } catch (const std::regex_error& error) {
    throw std::runtime_error(
        fmt::format("'{}' is no regular expression: {}", expression, error.what()));
  }
}

/// Until one of them prints or ends, but not for long: an end without output tells nobody.
void wait_for_any(const std::deque<Child>& running) {
  std::vector<pollfd> outputs;
  for (const Child& child : running) {
    if (!child.has_ended())
      outputs.push_back({.fd = child.output(), .events = POLLIN, .revents = 0});
  }
  constexpr int kMilliseconds = 20;
  poll(outputs.data(), outputs.size(), kMilliseconds);
}

}  // namespace

Property::Property(PropertyOptions options, std::filesystem::path scratch, InProcess wick_run)
    : options_(std::move(options)),
      scratch_(std::move(scratch)),
      wick_run_(std::move(wick_run)) {
  if (!options_.test.empty()) return;
  expected_ = compiled(options_.expected_error);
  if (options_.command[0] == kInProcess) wick_run_.prepare();
}

std::vector<std::string> Property::arguments_for(const std::string& path) const {
  if (!options_.test.empty()) return {options_.test, path};
  std::vector<std::string> arguments = options_.command;
  for (std::string& argument : arguments) {
    const size_t at = argument.find(kPlaceholder);
    if (at != std::string::npos) argument.replace(at, kPlaceholder.size(), path);
  }
  return arguments;
}

std::string Property::command_text(const std::string& path) const {
  return fmt::format("{}", fmt::join(arguments_for(path), " "));
}

Child Property::start(const ir::Graph& graph, size_t number) const {
  const std::string path = scratch_ / fmt::format("candidate-{}.wick", number);
  tools::write_graph(path, graph);
  const auto body = [this, arguments = arguments_for(path)] {
    return arguments[0] == kInProcess ? wick_run_.run(arguments) : exec_program(arguments);
  };
  return {body, options_.timeout};
}

bool Property::holds(const ChildResult& result) const {
  if (!expected_) return !result.failed();
  return result.failed() && std::regex_search(describe(result), *expected_);
}

ChildResult Property::run(const ir::Graph& graph) const {
  std::deque<Child> running;
  running.push_back(start(graph, 0));
  while (!running.front().has_ended()) {
    wait_for_any(running);
    running.front().poll();
  }
  return running.front().result();
}

/// The answer does not depend on which process ends first, so neither does the reduced graph.
std::optional<size_t> Property::first_interesting(
    std::span<const std::unique_ptr<ir::Graph>> candidates) const {
  std::deque<Child> running;  // candidates settled ... started-1
  size_t settled = 0;
  size_t started = 0;
  while (settled < candidates.size()) {
    for (; started < candidates.size() && running.size() < static_cast<size_t>(options_.jobs);
         ++started) {
      running.push_back(start(*candidates[started], started));
    }
    wait_for_any(running);
    for (Child& child : running)
      child.poll();
    for (; !running.empty() && running.front().has_ended(); ++settled) {
      if (holds(running.front().result())) return settled;
      running.pop_front();
    }
  }
  return std::nullopt;
}

}  // namespace wick::reduce
