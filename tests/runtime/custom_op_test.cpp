#include "run_graph.h"
#include "support/compiled_backend.h"
#include "support/sample_ops.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/passes/pass_manager.h"
#include "wick/runtime/library_call.h"
#include "wick/runtime/plan_builder.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

class CustomOpPlans : public testing::Test {
 protected:
  void SetUp() override { register_sample_ops(); }

  static std::unique_ptr<ir::Graph> graph_of(std::string_view line) {
    return ir::parse_graph("graph @main(%x: f32[2,3], %y: f32[3]) -> (f32[2,3]) {\n  " +
                           std::string(line) + "\n  return %0\n}\n");
  }

  static std::string plan_text(std::string_view line, const std::string& pipeline) {
    const auto graph = graph_of(line);
    passes::PassContext context;
    passes::PassManager::parse(pipeline).run(*graph, context);
    return to_string(*build_plan(*graph, {}));
  }

  static void expect_agreement(std::string_view line) {
    const auto graph = graph_of(line);
    std::mt19937_64 random(5);
    const std::vector<Literal> parameters = random_parameters(*graph, random);
    const Literal expected = run_on("interpreter", *graph, parameters).front();
    const Literal got = run_on(compiled_backend(), *graph, parameters).front();
    EXPECT_EQ(difference(expected, got, true), std::nullopt) << line;
  }
};

TEST_F(CustomOpPlans, BackendsAgree) {
  expect_agreement(R"(%0 = "sample.hypot" %x, %y {eps = 0.5} : f32[2,3])");
  expect_agreement(R"(%0 = "sample.running_sum" %x : f32[2,3])");
  expect_agreement(R"(%0 = "sample.twice" %x : f32[2,3])");
  expect_agreement(R"(%a = add %x, %y : f32[2,3] %0 = "sample.running_sum" %a : f32[2,3])");
}

TEST_F(CustomOpPlans, AnExpansionFusesWithItsNeighbours) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  const std::string plan =
      plan_text(R"(%h = "sample.hypot" %x, %y : f32[2,3] %0 = exp %h : f32[2,3])",
                std::string(passes::default_pipeline()));
  EXPECT_NE(plan.find("1 kernel launches, 0 library calls, 0 interpreted"), std::string::npos)
      << plan;
}

TEST_F(CustomOpPlans, AFunctionIsAStepOfThePlan) {
  const std::string plan = plan_text(R"(%0 = "sample.running_sum" %x : f32[2,3] loc("a.cpp":3:4))",
                                     std::string(passes::default_pipeline()));
  EXPECT_NE(plan.find("library   sample.running_sum [registered function]  a.cpp:3:4"),
            std::string::npos)
      << plan;
}

TEST_F(CustomOpPlans, WithoutLoweringItIsInterpreted) {
  const std::string plan =
      plan_text(R"(%0 = "sample.twice" %x : f32[2,3])", std::string(passes::default_pipeline()));
  EXPECT_NE(plan.find("interpret sample.twice"), std::string::npos) << plan;
}

TEST_F(CustomOpPlans, TheCallIsTakenWhereNothingExpands) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  const std::string plan =
      plan_text(R"(%h = add %x, %x : f32[2,3] %0 = "sample.ratio" %h, %x : f32[2,3])", "fuse");
  EXPECT_NE(plan.find("library   sample.ratio"), std::string::npos) << plan;
}

TEST_F(CustomOpPlans, TheResultMayTakeTheOperandsBuffer) {
  if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  const std::string line =
      R"(%a = matmul %x, %w : f32[2,3] %0 = "sample.running_sum" %a {in_place = [0]} : f32[2,3] %1 = neg %0 : f32[2,3])";
  const auto graph = ir::parse_graph("graph @main(%x: f32[2,3], %w: f32[3,3]) -> (f32[2,3]) {\n" +
                                     line + "\nreturn %1\n}");
  std::mt19937_64 random(5);
  const std::vector<Literal> parameters = random_parameters(*graph, random);
  EXPECT_EQ(difference(run_on("interpreter", *graph, parameters).front(),
                       run_on(compiled_backend(), *graph, parameters).front(),
                       true),
            std::nullopt);
  passes::PassContext context;
  passes::PassManager::parse(passes::default_pipeline()).run(*graph, context);
  const auto plan = build_plan(*graph, {});
  const Step& call = plan->steps[1];
  ASSERT_EQ(call.name, "sample.running_sum");
  EXPECT_EQ(plan->values[static_cast<size_t>(call.reads[0])].place,
            plan->values[static_cast<size_t>(call.writes[0])].place);
}

TEST_F(CustomOpPlans, FailuresNameOpAndLine) {
  const auto graph = graph_of(R"(%0 = "sample.failing" %x : f32[2,3] loc("a.cpp":3:4))");
  std::mt19937_64 random(5);
  try {
    (void)run_on(compiled_backend(), *graph, random_parameters(*graph, random));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a.cpp:3:4: error: sample.failing: the machine is on fire");
  }
}

TEST_F(CustomOpPlans, AnUnregisteredOpHasNoPlan) {
  const auto graph = ir::parse_graph(
      "graph @main(%x: f32[3]) -> (f32[3]) {\n"
      "  %0 = \"elsewhere.op\" %x : f32[3] loc(\"a.cpp\":3:4)\n  return %0\n}",
      "t",
      {.allow_unregistered = true});
  try {
    (void)build_plan(*graph, {});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.cpp:3:4: error: elsewhere.op: the op elsewhere.op is not registered; is its "
                 "plug-in loaded?");
  }
}

}  // namespace
}  // namespace wick::runtime
