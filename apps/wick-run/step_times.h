#pragma once

// How long the steps of plans take, run by run, and what they reach.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wick/runtime/plan.h"

namespace wick::run {

class StepTimes {
 public:
  /// One run of a step, as a runtime::StepObserver is told. The plan outlives this object.
  void note(const runtime::Plan& plan, size_t step, double seconds);

  /// A table of the steps, the slowest first and `most` at most, the shares of each kind of step,
  /// and the time of whole runs (`runs`, in seconds) beside what is in the steps.
  void print(std::span<const double> runs, size_t most = SIZE_MAX) const;

 private:
  struct Samples {
    std::string what;  // name, kind and place
    std::string kind;
    int64_t bytes = 0;
    std::optional<int64_t> operations;
    std::vector<double> seconds;
  };

  using Key = std::pair<const runtime::Plan*, size_t>;

  static void print_step(size_t number, const Samples& step, double per_run, double total);

  std::map<Key, Samples> steps_;
};

}  // namespace wick::run
