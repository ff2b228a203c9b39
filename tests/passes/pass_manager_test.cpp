#include "wick/passes/pass_manager.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::passes {
namespace {

constexpr std::string_view kGraph = R"(
graph @g(%x: f32[2]) -> (f32[2]) {
  %dead = tanh %x : f32[2]
  %0 = exp %x : f32[2]
  return %0
}
)";

/// Calls a function as a pass.
class Callback final : public Pass {
 public:
  explicit Callback(std::function<bool(ir::Graph&, PassContext&)> body) : body_(std::move(body)) {}

  [[nodiscard]] std::string_view name() const override { return "callback"; }

  bool run(ir::Graph& graph, PassContext& context) override { return body_(graph, context); }

 private:
  std::function<bool(ir::Graph&, PassContext&)> body_;
};

TEST(PassManager, RunsPassesInOrder) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager = PassManager::parse("cse,dce");
  PassContext context;

  manager.run(*graph, context);

  EXPECT_EQ(graph->num_nodes(), 2);
  EXPECT_EQ(context.statistics().at("dce.erased"), 1);
  EXPECT_EQ(context.statistics().at("cse.erased"), 0);
}

TEST(PassManager, TellsInstrumentationWhatRanAndWhatChanged) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager = PassManager::parse("cse,dce");
  PassContext context;
  std::vector<std::string> log;
  manager.add_instrumentation(
      {.before =
           [&](const Pass& pass, const ir::Graph& g) {
             log.push_back(std::string(pass.name()) + " sees " + std::to_string(g.num_nodes()));
           },
       .after =
           [&](const Pass& pass, const ir::Graph& g, bool changed, double milliseconds) {
             EXPECT_GE(milliseconds, 0);
             log.push_back(std::string(pass.name()) + (changed ? " left " : " kept ") +
                           std::to_string(g.num_nodes()));
           }});

  manager.run(*graph, context);

  EXPECT_EQ(log,
            (std::vector<std::string>{"cse sees 3", "cse kept 3", "dce sees 3", "dce left 2"}));
}

TEST(PassManager, TakesInstrumentationWithOneCallback) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager = PassManager::parse("dce");
  PassContext context;
  int calls = 0;
  manager.add_instrumentation(
      {.before = [&](const Pass&, const ir::Graph&) { ++calls; }, .after = {}});
  manager.add_instrumentation({});

  manager.run(*graph, context);

  EXPECT_EQ(calls, 1);
}

TEST(PassManager, NamesThePassThatBrokeTheGraph) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager;
  manager.set_verify_each(true);
  manager.add(std::make_unique<Callback>([](ir::Graph& g, PassContext&) {
    g.last()->attributes().set("nonsense", true);
    return true;
  }));
  PassContext context;

  try {
    manager.run(*graph, context);
    FAIL() << "a broken graph passed";
  } catch (const std::logic_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("pass 'callback' left a broken graph: "))
        << error.what();
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

TEST(PassManager, TrustsPassesWithoutVerifyEach) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager;
  manager.add(std::make_unique<Callback>([](ir::Graph& g, PassContext&) {
    g.last()->attributes().set("nonsense", true);
    return true;
  }));
  PassContext context;

  EXPECT_NO_THROW(manager.run(*graph, context));
}

TEST(PassContext, GivesRemarksAndCountsTheRunningPass) {
  const auto graph = ir::parse_graph(kGraph);
  PassManager manager;
  manager.add(std::make_unique<Callback>([](ir::Graph&, PassContext& context) {
    context.remark(
        {.pass = "", .code = "seen", .missed = false, .where = {}, .other = {}, .text = "a graph"});
    context.count("graphs");
    context.count("graphs", 2);
    return false;
  }));
  PassContext talkative(true);
  PassContext quiet;

  manager.run(*graph, talkative);
  manager.run(*graph, quiet);

  ASSERT_EQ(talkative.remarks().size(), 1U);
  EXPECT_EQ(talkative.remarks()[0].pass, "callback");
  EXPECT_EQ(talkative.remarks()[0].code, "seen");
  EXPECT_EQ(talkative.statistics().at("callback.graphs"), 3);
  EXPECT_TRUE(quiet.remarks().empty());
}

TEST(DefaultPipeline, Parses) {
  EXPECT_NO_THROW((void)PassManager::parse(default_pipeline()));
}

}  // namespace
}  // namespace wick::passes
