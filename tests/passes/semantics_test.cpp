// Passes keep the meaning of programs: the interpreter gives the same before and after.

#include "run_passes.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/options.h"

namespace wick::passes {
namespace {

using testing_support::first_difference;
using testing_support::random_graph;
using testing_support::random_inputs;

class KeepsMeaning : public testing::TestWithParam<const char*> {};

void expect_same_results(uint64_t seed, std::string_view pipeline, bool special_values) {
  const auto graph = random_graph(seed);
  const std::vector<Literal> inputs = random_inputs(*graph, seed, special_values);
  const std::vector<Literal> expected = ir::interpret(*graph, inputs);
  const auto optimized = graph->clone();

  run_passes(*optimized, pipeline);

  const std::vector<Literal> actual = ir::interpret(*optimized, inputs);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto difference = first_difference(expected[i], actual[i]);
    ASSERT_EQ(difference, std::nullopt) << "result " << i << ", seed " << seed
                                        << (special_values ? " with special values" : "") << "\n"
                                        << to_string(*graph) << "\nbecame\n"
                                        << to_string(*optimized);
  }
}

TEST_P(KeepsMeaning, OnRandomGraphs) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_same_results(seed, GetParam(), seed % 4 == 3));
  }
}

TEST(KeepsMeaningForGpus, OnRandomGraphs) {
  Options for_gpus = options();
  for_gpus.backend = "cuda";
  const ScopedOptions scope(for_gpus);
  for (uint64_t seed = 0; seed < 400; ++seed)
    ASSERT_NO_FATAL_FAILURE(expect_same_results(seed, "canonicalize", seed % 4 == 3));
}

INSTANTIATE_TEST_SUITE_P(Passes,
                         KeepsMeaning,
                         testing::Values("canonicalize",
                                         "constant-fold",
                                         "cse",
                                         "dce",
                                         "epilogue{activations}",
                                         "fuse",
                                         "plan-memory",
                                         "widen-half",
                                         "widen-half{native-products=bf16}",
                                         "default"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) { return c < 'a' || c > 'z'; });
                           return name;
                         });

}  // namespace
}  // namespace wick::passes
