#include "step_report.h"

#include <fmt/format.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/tensor/materialize.h"
#include "wick/tensor/plan_cache.h"

namespace mnist {

namespace {

constexpr size_t kWatchedSteps = 5;

double megabytes(int64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

}  // namespace

StepReport::StepReport() : last_(read_counters()) {}

StepReport::Counters StepReport::read_counters() {
  return {.plans = wick::detail::plan_cache_stats().misses,
          .kernels = wick::codegen::KernelCache::instance().stats().compiled};
}

void StepReport::note_step() {
  if (steps_.size() == kWatchedSteps) return;
  const Counters now = read_counters();
  steps_.push_back({.plans = now.plans - last_.plans, .kernels = now.kernels - last_.kernels});
  last_ = now;
  program_ = wick::detail::last_program_summary();
}

std::string StepReport::to_text() const {
  std::string text = fmt::format(
      "one training step:\n"
      "  {:>9} ops recorded\n"
      "  {:>9} kernels\n"
      "  {:>9} library calls\n"
      "  {:>9} interpreted steps\n"
      "  {:>9.1f} MB planned at the peak, results included\n"
      "  {:>9.1f} MB for all intermediates without planning\n",
      program_.num_ops,
      program_.num_kernels,
      program_.num_library_calls,
      program_.num_interpreted,
      megabytes(program_.planned_peak_bytes),
      megabytes(program_.intermediate_bytes));
  text += "step  new plans  kernels compiled\n";
  for (size_t i = 0; i < steps_.size(); ++i) {
    text += fmt::format("{:>4}  {:>9}  {:>16}\n", i + 1, steps_[i].plans, steps_[i].kernels);
  }
  return text;
}

}  // namespace mnist
