// Random graphs through the fuse pass, lowering and the kernel interpreter, against the graph
// interpreter.

#include <cstdio>
#include <cstdlib>

#include "run_lowered.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/fusion_cost_model.h"

namespace wick::test {
namespace {

/// The first graph of a run; WICK_TEST_SEED repeats another.
uint64_t first_seed() {
  const char* text = std::getenv("WICK_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

void expect_agreement(uint64_t seed, const std::string& pipeline, bool special_values) {
  testing_support::RandomGraphOptions options;
  options.num_ops = 6 + static_cast<int>(seed % 19);
  options.max_elements = seed % 10 == 0 ? 2048 : 256;
  const auto graph = testing_support::random_graph(seed, options);
  const std::vector<Literal> inputs = testing_support::random_inputs(*graph, seed, special_values);
  const std::vector<Literal> expected = ir::interpret(*graph, inputs);
  const std::string before = ir::to_string(*graph);
  try {
    run_pipeline(*graph, pipeline);
  } catch (const std::exception& error) {
    FAIL() << "seed " << seed << ": " << error.what() << "\n" << before;
  }

  std::vector<Literal> actual;
  try {
    actual = run_lowered(*graph, inputs);
  } catch (const std::exception& error) {
    FAIL() << "seed " << seed << ": " << error.what() << "\n" << ir::to_string(*graph);
  }

  for (size_t i = 0; i < expected.size(); ++i) {
    const auto difference = testing_support::first_difference(expected[i], actual[i]);
    ASSERT_FALSE(difference.has_value())
        << "seed " << seed << ", result " << i << ": " << *difference << "\n"
        << ir::to_string(*graph);
  }
}

TEST(Differential, FusedGraphsAgreeWithTheInterpreter) {
  const uint64_t first = first_seed();
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  for (uint64_t seed = first; seed < first + 1000 && !HasFatalFailure(); ++seed) {
    expect_agreement(seed, seed % 2 == 0 ? "fuse" : "canonicalize,cse,dce,fuse", false);
  }
}

TEST(Differential, SmallClustersAgreeToo) {
  const uint64_t first = first_seed() + 100000;
  for (uint64_t seed = first; seed < first + 200 && !HasFatalFailure(); ++seed) {
    expect_agreement(seed, "fuse{max-ops=4,max-operands=3}", false);
  }
}

/// Says yes to all that is legal, or to nothing.
class ExtremeModel final : public passes::FusionCostModel {
 public:
  explicit ExtremeModel(bool fuses) : fuses_(fuses) {}

  [[nodiscard]] std::string_view name() const override { return fuses_ ? "all" : "none"; }

  [[nodiscard]] passes::FusionLimits limits() const override {
    return {.recompute_costly = fuses_};
  }

  [[nodiscard]] passes::Objection merge(const passes::MergeCandidate&) const override {
    return answer();
  }

  [[nodiscard]] passes::Objection recompute(const passes::RecomputeCandidate&) const override {
    return answer();
  }

 private:
  [[nodiscard]] passes::Objection answer() const { return fuses_ ? "" : "missed-none"; }

  bool fuses_;
};

TEST(Differential, NoCostModelCanMakeAFusionWrong) {
  passes::register_fusion_cost_model(std::make_unique<ExtremeModel>(true));
  passes::register_fusion_cost_model(std::make_unique<ExtremeModel>(false));
  const uint64_t first = first_seed() + 300000;
  for (uint64_t seed = first; seed < first + 300 && !HasFatalFailure(); ++seed) {
    expect_agreement(seed, "fuse{cost-model=all}", false);
    expect_agreement(seed, "canonicalize,cse,dce,fuse{cost-model=none}", false);
  }
}

TEST(Differential, RowsAndColumnsAgree) {
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + 60 && !HasFailure(); ++seed)
    expect_rows_agree(seed);
}

TEST(Differential, SpecialValuesAgree) {
  const uint64_t first = first_seed() + 200000;
  for (uint64_t seed = first; seed < first + 300 && !HasFatalFailure(); ++seed) {
    expect_agreement(seed, "fuse", true);
  }
}

}  // namespace
}  // namespace wick::test
