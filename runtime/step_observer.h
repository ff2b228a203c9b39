#pragma once

// Watching the steps of plans, for tools that time them.

#include <cstddef>
#include <functional>

#include "wick/runtime/plan.h"

namespace wick::runtime {

/// Called after each step of a run.
using StepObserver = std::function<void(const Plan& plan, size_t step, double seconds)>;

/// While it lives, runs of this thread tell `observer`. Nests: the innermost is told.
class ScopedStepObserver {
 public:
  explicit ScopedStepObserver(StepObserver observer);
  ScopedStepObserver(const ScopedStepObserver&) = delete;
  ScopedStepObserver& operator=(const ScopedStepObserver&) = delete;
  ~ScopedStepObserver();

 private:
  StepObserver observer_;
  const StepObserver* previous_;
};

/// The one in force on this thread, or null.
const StepObserver* step_observer();

}  // namespace wick::runtime
