// Random graphs through the fuse pass, lowering and compiled kernels, against the graph
// interpreter.

#include <cstdio>
#include <cstdlib>

#include "codegen/run_lowered.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"

namespace wick::test {
namespace {

/// The first graph of a run; WICK_TEST_SEED repeats another.
uint64_t first_seed() {
  const char* text = std::getenv("WICK_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

codegen::KernelFunction compiled(const codegen::Kernel& kernel) {
  return codegen::KernelCache::instance().get(kernel);
}

void expect_agreement(uint64_t seed, bool special_values) {
  testing_support::RandomGraphOptions options;
  options.num_ops = 4 + static_cast<int>(seed % 13);
  options.max_elements = seed % 10 == 0 ? 4096 : 512;
  const auto graph = testing_support::random_graph(seed, options);
  const std::vector<Literal> inputs = testing_support::random_inputs(*graph, seed, special_values);
  const std::vector<Literal> expected = ir::interpret(*graph, inputs);
  run_pipeline(*graph, seed % 2 == 0 ? "fuse" : "canonicalize,cse,dce,fuse");

  const std::vector<Literal> actual = run_lowered(*graph, inputs);

  for (size_t i = 0; i < expected.size(); ++i) {
    const auto difference = testing_support::first_difference(expected[i], actual[i]);
    ASSERT_FALSE(difference.has_value())
        << "seed " << seed << ", result " << i << ": " << *difference << "\n"
        << ir::to_string(*graph);
  }
}

void run_seeds(uint64_t first, int count, bool special_values) {
  codegen::KernelCache::instance().reset("");
  use_kernel_runner(compiled);
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    if (testing::Test::HasFatalFailure()) break;
    expect_agreement(seed, special_values);
  }
  use_kernel_runner(nullptr);
}

TEST(LlvmDifferential, FusedGraphsAgreeWithTheInterpreter) {
  run_seeds(first_seed(), 200, false);
}

TEST(LlvmDifferential, RowsAndColumnsAgree) {
  codegen::KernelCache::instance().reset("");
  use_kernel_runner(compiled);
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + 60 && !HasFailure(); ++seed)
    expect_rows_agree(seed);
  use_kernel_runner(nullptr);
}

TEST(LlvmDifferential, SpecialValuesAgree) {
  run_seeds(first_seed() + 200000, 60, true);
}

}  // namespace
}  // namespace wick::test
