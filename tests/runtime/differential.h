#pragma once

// One random graph, through a pipeline and on one way to run it, against the reference interpreter.

#include <cstdint>
#include <optional>
#include <string>

#include "wick/runtime/plan_builder.h"

namespace wick::runtime {

struct DifferentialCase {
  uint64_t seed = 1;
  std::string pipeline = "default";
  PlanOptions::Fusions fusions = PlanOptions::Fusions::compile;
  bool special_values = false;  // NaN and infinities among the inputs
  std::string device;           // a backend that does all this in place of the host: "cuda"
};

/// What every seed stands for where pipelines are random as well, on the backend of WICK_BACKEND if
/// that is a device's.
DifferentialCase random_case(uint64_t seed);

struct DifferentialFailure {
  std::string problem;  // one line
  std::string context;  // the graphs and the plan, as far as they came to be
};

/// What went wrong, or nothing.
std::optional<DifferentialFailure> run_and_compare(const DifferentialCase& what);

/// Writes the graph of a failed case to FOLDER/random<seed>.wick; returns the commands that run it
/// again and that make it small.
std::string write_reproducer(const DifferentialCase& what, const std::string& folder);

}  // namespace wick::runtime
