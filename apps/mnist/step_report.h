#pragma once

// What became of a training step, for --explain.

#include <cstdint>
#include <string>
#include <vector>

#include "wick/runtime/backend.h"

namespace mnist {

/// Watches the counters of plans and kernels over the first steps.
class StepReport {
 public:
  /// Counting starts here.
  StepReport();

  /// To be called after every step.
  void note_step();

  /// The program of one step and what the first steps compiled, as text.
  [[nodiscard]] std::string to_text() const;

 private:
  struct Counters {
    int64_t plans = 0;
    int64_t kernels = 0;
  };

  static Counters read_counters();

  Counters last_;
  std::vector<Counters> steps_;  // what each compiled
  wick::runtime::ProgramSummary program_;
};

}  // namespace mnist
