#include "wick/passes/fusion_remarks.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "support/random_graph.h"
#include "support/test_file.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

std::vector<Remark> remarks_of(ir::Graph& graph, const char* pipeline, bool wanted = true) {
  PassContext context(wanted);
  PassManager::parse(pipeline).run(graph, context);
  return context.remarks();
}

TEST(Objection, PutsItsReasonTogetherWhenAsked) {
  EXPECT_EQ(Objection("missed-cost", "{} bytes for {}", 256, 64).reason(), "256 bytes for 64");
  EXPECT_EQ(Objection("missed-cost").reason(), "");
  EXPECT_TRUE(Objection().empty());
  EXPECT_TRUE(Objection("").empty());
}

TEST(FusionRemarks, AreDocumented) {
  std::ifstream file(test_file(WICK_SOURCE_DIR "/docs/fusion.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});

  for (const char* code : fusion_code::kAll)
    EXPECT_NE(page.find(fmt::format("| `{}` |", code)), std::string::npos) << code;
}

/// Every node has a place of its own.
std::unique_ptr<ir::Graph> located_graph(uint64_t seed) {
  auto graph = testing_support::random_graph(seed, {.num_ops = 40});
  for (ir::Node* node : graph->nodes())
    node->set_location({"net.cpp", static_cast<uint32_t>(node->id()) + 1, 1});
  return graph;
}

class OnRandomGraphs : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Limits,
                         OnRandomGraphs,
                         testing::Values("fuse", "fuse{max-ops=5}", "fuse{max-operands=3}"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return fmt::format("pipeline_{}", info.index);
                         });

TEST_P(OnRandomGraphs, EachMissHasAReason) {
  int64_t missed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    for (const Remark& remark : remarks_of(*located_graph(seed), GetParam())) {
      EXPECT_TRUE(std::ranges::find(fusion_code::kAll, remark.code) != fusion_code::kAll.end())
          << "seed " << seed << ": " << remark.code << ": " << remark.text;
      EXPECT_EQ(remark.missed, remark.code != fusion_code::kFused);
      if (!remark.missed) continue;
      ++missed;
      EXPECT_NE(remark.text.find("]: "), std::string::npos) << "seed " << seed << remark.text;
    }
  }
  EXPECT_GT(missed, 300);
}

TEST_P(OnRandomGraphs, NothingIsSaidTwice) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<std::string> said;
    for (const Remark& remark : remarks_of(*located_graph(seed), GetParam()))
      said.push_back(to_string(remark));
    std::ranges::sort(said);
    const auto twice = std::ranges::adjacent_find(said);
    EXPECT_TRUE(twice == said.end()) << "seed " << seed << ": " << *twice;
  }
}

TEST_P(OnRandomGraphs, ListeningChangesNothing) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto heard = located_graph(seed);
    const auto unheard = located_graph(seed);

    (void)remarks_of(*heard, GetParam());
    EXPECT_TRUE(remarks_of(*unheard, GetParam(), false).empty());

    EXPECT_EQ(ir::to_string(*heard), ir::to_string(*unheard)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wick::passes
