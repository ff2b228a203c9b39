#include "wick/passes/plan_memory.h"

#include "run_passes.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/arena_placement.h"

namespace wick::passes {
namespace {

using ir::OpKind;
using ir::Value;

TEST(BufferPlace, ReadsBackWhatItPrints) {
  using Kind = BufferPlace::Kind;
  const BufferPlace places[] = {{.kind = Kind::arena, .offset = 1024},
                                {.kind = Kind::result, .index = 3},
                                {.kind = Kind::param, .index = 0},
                                {.kind = Kind::constant}};
  const char* texts[] = {"arena+1024", "result:3", "param:0", "constant"};
  for (size_t i = 0; i < std::size(places); ++i) {
    EXPECT_EQ(to_string(places[i]), texts[i]);
    EXPECT_EQ(parse_buffer_place(texts[i]), places[i]);
  }
}

TEST(BufferPlace, RefusesOtherTexts) {
  for (const char* text :
       {"", "arena", "arena+", "arena+-1", "arena+1x", "result:-1", "param:", "constants"}) {
    EXPECT_EQ(parse_buffer_place(text), std::nullopt) << text;
  }
}

TEST(ArenaPlacement, PacksLifetimesThatDoNotMeet) {
  const ArenaLayout layout = place_in_arena({{.bytes = 100, .begin = 0, .end = 1},
                                             {.bytes = 100, .begin = 2, .end = 3},
                                             {.bytes = 60, .begin = 1, .end = 2}});

  EXPECT_EQ(layout.bytes, 192U);
  EXPECT_EQ(layout.offsets[0], layout.offsets[1]);
}

/// Neither the largest first nor time by time: both put one of the small ones behind the others.
TEST(ArenaPlacement, TriesOtherOrders) {
  const ArenaLayout layout = place_in_arena({{.bytes = 320, .begin = 1, .end = 2},
                                             {.bytes = 192, .begin = 4, .end = 4},
                                             {.bytes = 192, .begin = 4, .end = 4},
                                             {.bytes = 320, .begin = 2, .end = 4}});

  EXPECT_EQ(layout.bytes, 704U);
}

TEST(ArenaPlacement, GivesEmptyBlocksNoRoom) {
  EXPECT_EQ(place_in_arena({{.bytes = 0, .begin = 0, .end = 9}}).bytes, 0U);
  EXPECT_EQ(place_in_arena({}).bytes, 0U);
}

TEST(PlanMemory, IsSoundOnRandomGraphs) {
  size_t in_place = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const auto graph = testing_support::random_graph(seed);
    run_passes(*graph, "default");
    ASSERT_EQ(verify_memory_plan(*graph), std::nullopt) << "seed " << seed << "\n"
                                                        << to_string(*graph);
    const MemoryPlan plan = memory_plan_of(*graph);
    ASSERT_GE(plan.arena_bytes, plan.peak_live_bytes) << "seed " << seed;
    in_place += to_string(*graph).find("\"param:") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(in_place, 10U);  // the donated parameters do get used
}

TEST(PlanMemory, IsSoundWithoutFusion) {
  for (uint64_t seed = 1000; seed < 1300; ++seed) {
    const auto graph = testing_support::random_graph(seed, {.num_ops = 40});
    run_passes(*graph, "plan-memory");
    ASSERT_EQ(verify_memory_plan(*graph), std::nullopt) << "seed " << seed << "\n"
                                                        << to_string(*graph);
  }
}

TEST(PlanMemory, ChangesNothingTheSecondTime) {
  const auto graph = testing_support::random_graph(5);
  run_passes(*graph, "default");
  const std::string once = to_string(*graph);

  run_passes(*graph, "plan-memory");

  EXPECT_EQ(to_string(*graph), once);
}

/// Residual blocks of matmuls: long and short lives of several sizes.
std::unique_ptr<ir::Graph> deep_graph(int length) {
  auto graph = std::make_unique<ir::Graph>("deep");
  const Value w = graph->add_parameter({DType::f32, {16, 16}}, "w")->result();
  Value x = graph->add_parameter({DType::f32, {4, 16}}, "x")->result();
  ir::Builder builder(*graph);
  std::vector<Value> saved;
  for (int i = 0; i < length; ++i) {
    x = builder.op(OpKind::matmul, {x, w});
    if (i % 7 == 0) saved.push_back(x);
  }
  for (size_t i = saved.size(); i-- > 0;) {  // read back like a backward pass
    const Value outer = builder.op(OpKind::matmul, {saved[i], saved[i]}, {{"transpose_lhs", true}});
    x = builder.op(OpKind::matmul, {x, outer});
  }
  graph->add_result(x);
  return graph;
}

TEST(PlanMemory, TakesDeepGraphs) {
  const auto graph = deep_graph(10'000);

  run_passes(*graph, "plan-memory");

  EXPECT_EQ(verify_memory_plan(*graph), std::nullopt);
  const MemoryPlan plan = memory_plan_of(*graph);
  EXPECT_LT(plan.arena_bytes, plan.peak_live_bytes * 5 / 4);
  EXPECT_LT(plan.peak_live_bytes, plan.total_intermediate_bytes / 4);
}

TEST(PlanMemory, PacksModerateGraphsTightly) {
  const auto graph = deep_graph(300);
  run_passes(*graph, "plan-memory");

  const MemoryPlan plan = memory_plan_of(*graph);

  EXPECT_LE(plan.arena_bytes, plan.peak_live_bytes * 21 / 20);
}

// The verifier of plans finds what a wrong planner would do.

constexpr std::string_view kPlanned = R"(
graph @g(%x: f32[4,4], %d: f32[4,4] {donate}) -> (f32[4,4]) {
  %0 = matmul %x, %x {buffers = ["arena+0"]} : f32[4,4]
  %1 = matmul %x, %0 {buffers = ["arena+64"]} : f32[4,4]
  %2 = matmul %0, %d {buffers = ["arena+128"]} : f32[4,4]
  %3 = reshape %2 {buffers = ["arena+128"], shape = [16]} : f32[16]
  %4 = reshape %3 {buffers = ["arena+128"], shape = [4, 4]} : f32[4,4]
  %5 = matmul %4, %1 {buffers = ["result:0"]} : f32[4,4]
  return %5
}
)";

std::string flaw_with(std::string_view from, std::string_view to) {
  std::string text(kPlanned);
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return verify_memory_plan(*ir::parse_graph(text)).value_or("sound");
}

TEST(VerifyMemoryPlan, TakesASoundPlan) {
  EXPECT_EQ(flaw_with("", ""), "sound");
}

TEST(VerifyMemoryPlan, FindsOverlaps) {
  EXPECT_EQ(flaw_with("arena+64", "arena+0"),
            "matmul at position 3 overwrites a value still needed at arena+0");
  EXPECT_EQ(flaw_with("{buffers = [\"arena+64\"]}", "{buffers = [\"param:0\"]}"),
            "matmul at position 3 overwrites a value still needed at param:0");
  EXPECT_EQ(flaw_with("{buffers = [\"arena+64\"]}", "{buffers = [\"param:1\"]}"),
            "matmul at position 3 overwrites a value still needed at param:1");
  EXPECT_EQ(flaw_with("result:0", "param:0"),
            "matmul at position 7 overwrites a value still needed at param:0");
}

TEST(VerifyMemoryPlan, TakesResultsInDonatedParameters) {
  EXPECT_EQ(flaw_with("result:0", "param:1"), "sound");
}

TEST(VerifyMemoryPlan, FindsResultsElsewhere) {
  EXPECT_EQ(flaw_with("result:0", "arena+256"), "matmul at position 7 lies at arena+256");
  EXPECT_EQ(flaw_with("result:0", "result:1"), "matmul at position 7 lies at result:1");
}

TEST(VerifyMemoryPlan, FindsReshapesElsewhere) {
  EXPECT_EQ(flaw_with("{buffers = [\"arena+128\"], shape = [16]}",
                      "{buffers = [\"arena+192\"], shape = [16]}"),
            "reshape at position 5 does not lie at arena+128, where its operand lies");
}

TEST(VerifyMemoryPlan, FindsMissingAndUnreadablePlaces) {
  EXPECT_EQ(flaw_with("{buffers = [\"arena+64\"]}", ""),
            "matmul at position 3 has 0 buffers, 1 results");
  EXPECT_EQ(flaw_with("arena+64", "attic+64"),
            "matmul at position 3 has buffer 'attic+64', which is no place");
  EXPECT_EQ(flaw_with("arena+64", "arena+65"),
            "matmul at position 3 has buffer 'arena+65', which is not aligned");
}

}  // namespace
}  // namespace wick::passes
