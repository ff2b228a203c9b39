#include "wick/runtime/step_observer.h"

#include <utility>

namespace wick::runtime {
namespace {

thread_local const StepObserver* innermost = nullptr;

}  // namespace

ScopedStepObserver::ScopedStepObserver(StepObserver observer)
    : observer_(std::move(observer)),
      previous_(std::exchange(innermost, &observer_)) {}

ScopedStepObserver::~ScopedStepObserver() {
  innermost = previous_;
}

const StepObserver* step_observer() {
  return innermost;
}

}  // namespace wick::runtime
