// Random graphs on every way to run them, against the reference interpreter.
//
// WICK_DIFF_GRAPHS sets how many, WICK_DIFF_SEED the first seed. A failure prints its seed, the
// graph, the plan and how to repeat it. ./dev fuzz goes on for longer.

#include "differential.h"

#include "support/compiled_backend.h"
#include "support/guarded_memory_manager.h"
#include "support/number_from.h"
#include <gtest/gtest.h>

#include "wick/passes/options.h"

namespace wick::runtime {
namespace {

using Fusions = PlanOptions::Fusions;

int64_t num_graphs() {
  return number_from("WICK_DIFF_GRAPHS", 1600);
}

/// Runs `make_case(seed)` for as many seeds as asked.
template <typename MakeCase>
void run_many(int64_t count, MakeCase make_case) {
  const GuardedMemoryScope guarded;
  const auto first = static_cast<uint64_t>(number_from("WICK_DIFF_SEED", 1));
  constexpr int kMostFailures = 3;  // enough to see a pattern
  int failures = 0;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    const DifferentialCase what = make_case(seed);
    const auto failure = run_and_compare(what);
    if (!failure) continue;
    ADD_FAILURE() << "WICK_DIFF_SEED=" << seed << ": " << failure->problem << "\n"
                  << write_reproducer(what, testing::TempDir() + "wick_differential")
                  << failure->context;
    if (++failures == kMostFailures) return;
  }
}

DifferentialCase default_pipeline_on(Fusions fusions, uint64_t seed) {
  return {.seed = seed, .fusions = fusions, .special_values = seed % 4 == 0, .device = ""};
}

TEST(Differential, MachineCode) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  // Compilers of GPUs take their time.
  run_many(num_graphs() / (targets_gpu() ? 4 : 1),
           [](uint64_t seed) { return default_pipeline_on(Fusions::compile, seed); });
}

TEST(Differential, RandomPipelines) {
  if (!has_llvm() && !targets_gpu()) GTEST_SKIP() << "built without LLVM";
  run_many(num_graphs() / (targets_gpu() ? 20 : 4), random_case);
}

// The two below tell which layer is wrong when the first one fails.

TEST(Differential, KernelInterpreter) {
  run_many(num_graphs() / 10,
           [](uint64_t seed) { return default_pipeline_on(Fusions::interpret_kernels, seed); });
}

TEST(Differential, FusionBodies) {
  run_many(num_graphs() / 10,
           [](uint64_t seed) { return default_pipeline_on(Fusions::interpret_bodies, seed); });
}

}  // namespace
}  // namespace wick::runtime
