#pragma once

// A graph compiled by a backend, run on literals.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wick/ir/graph.h"
#include "wick/runtime/backend.h"

namespace wick::run {

class Program {
 public:
  /// Throws std::invalid_argument for an unknown backend, Error where the graph does not compile.
  Program(const ir::Graph& graph, std::string_view backend);

  /// The results for these parameter values; leaves the values as they are.
  std::vector<Literal> run(std::span<const Literal> parameters);

  /// Copies of the values in buffers, for `run_on`.
  static std::vector<runtime::Argument> arguments(std::span<const Literal> parameters);

  void run_on(std::span<const runtime::Argument> arguments) { executable_->run(arguments); }

  [[nodiscard]] std::string plan_text() const { return executable_->to_text(); }

 private:
  std::vector<Type> result_types_;
  std::unique_ptr<runtime::Executable> executable_;
};

}  // namespace wick::run
