#include "wick/passes/pipeline_run.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include <gtest/gtest.h>
#include <unistd.h>

#include "wick/ir/error.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/extension_points.h"
#include "wick/passes/pass_registry.h"
#include "wick/passes/reproducer.h"

namespace wick::passes {
namespace {

constexpr auto kGraph = R"(
graph @g(%x: f32[2]) -> (f32[2]) {
  %0 = neg %x : f32[2]    loc("model.cpp":7:3)
  %1 = neg %0 : f32[2]
  %2 = exp %1 : f32[2]
  return %2
}
)";

/// A pass made of a function.
class FunctionPass final : public Pass {
 public:
  FunctionPass(std::string name, void (*body)(ir::Graph&)) : name_(std::move(name)), body_(body) {}

  [[nodiscard]] std::string_view name() const override { return name_; }

  bool run(ir::Graph& graph, PassContext& /*context*/) override {
    body_(graph);
    return true;
  }

 private:
  std::string name_;
  void (*body_)(ir::Graph&);
};

void add_pass(const std::string& name, void (*body)(ir::Graph&)) {
  if (PassRegistry::instance().find(name) != nullptr) return;  // the test is repeated
  PassRegistry::instance().add({.name = name,
                                .summary = "a pass of a test",
                                .options = {},
                                .create = [=](const PassOptions&) -> std::unique_ptr<Pass> {
                                  return std::make_unique<FunctionPass>(name, body);
                                }});
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PipelineRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("wick-pipeline-run-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Runs `pipeline` over the sample under these options; what it prints goes to `printed_`.
  std::unique_ptr<ir::Graph> run(const std::string& pipeline, Options options = Options()) {
    auto graph = ir::parse_graph(kGraph);
    options.pass_pipeline = pipeline;
    options.reproducer_dir = folder_;
    const ScopedOptions scope(options);
    PassContext context = make_pass_context();
    record_ = {};
    testing::internal::CaptureStderr();
    try {
      run_pipeline(*graph, context, &record_);
    } catch (...) {
      printed_ = testing::internal::GetCapturedStderr();
      throw;
    }
    printed_ = testing::internal::GetCapturedStderr();
    return graph;
  }

  /// The first file in the folder for reproducers.
  [[nodiscard]] std::string reproducer() const {
    const std::filesystem::directory_iterator first(folder_);
    return first == std::filesystem::directory_iterator() ? "" : contents(first->path());
  }

  std::filesystem::path folder_;
  PipelineRecord record_;
  std::string printed_;
};

TEST_F(PipelineRun, RecordsStagesThatParseBack) {
  run("canonicalize,cse,dce");

  EXPECT_EQ(record_.pipeline, "canonicalize,cse,dce");
  ASSERT_EQ(record_.stages.size(), 3U);
  EXPECT_TRUE(record_.stages[0].changed);
  EXPECT_FALSE(record_.stages[1].changed);
  EXPECT_EQ(record_.stages[1].ir, "");
  for (const std::string& text : {record_.recorded, record_.stages[0].ir}) {
    EXPECT_EQ(ir::to_string(*ir::parse_graph(text), {.locations = true}), text);
  }
  EXPECT_NE(record_.recorded.find("model.cpp"), std::string::npos);
}

TEST_F(PipelineRun, CountsPassesWhenItBisects) {
  Options options;
  options.opt_bisect_limit = 0;
  const auto graph = run("canonicalize,cse", options);

  EXPECT_EQ(graph->num_nodes(), 4) << "no pass may run";
  const std::regex expected(
      "BISECT: NOT running pass \\([0-9]+\\) canonicalize on @g\n"
      "BISECT: NOT running pass \\([0-9]+\\) cse on @g\n");
  EXPECT_TRUE(std::regex_match(printed_, expected)) << printed_;
}

TEST_F(PipelineRun, LeavesOutPasses) {
  Options options;
  options.disable_passes = {"canonicalize"};

  EXPECT_EQ(run("canonicalize,dce", options)->num_nodes(), 4);
  EXPECT_EQ(record_.pipeline, "dce");
  options.disable_passes = {"canonicalise"};
  EXPECT_THROW(run("dce", options), std::invalid_argument);
}

TEST_F(PipelineRun, PrintsWhatChanged) {
  Options options;
  options.print_ir_after_change = Options::ChangePrinting::diff;
  run("cse,canonicalize", options);

  EXPECT_EQ(printed_.find("// after canonicalize\n@@ -1 +1 @@\n"), 0U) << printed_;
  EXPECT_NE(printed_.find("-  %1 = neg %0 : f32[2]\n"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("exp %x : f32[2]\n"), std::string::npos) << printed_;
}

TEST_F(PipelineRun, PrintsBeforeAndAfterNamedPasses) {
  Options options;
  options.print_ir_before = {"cse"};
  options.print_ir_after = {"dce"};
  run("canonicalize,cse,dce", options);

  EXPECT_EQ(printed_.find("// before cse\n"), 0U);
  EXPECT_NE(printed_.find("// after dce\n"), std::string::npos);
  EXPECT_EQ(printed_.find("canonicalize"), std::string::npos);
}

TEST_F(PipelineRun, WritesAReproducerWhenAPassThrows) {
  add_pass("throwing", [](ir::Graph&) { throw std::runtime_error("too much\nto do"); });
  try {
    run("canonicalize,throwing,dce");
    FAIL() << "the pass throws";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("pass 'throwing' failed: too much"), 0U) << text;
    EXPECT_NE(text.find("wick-opt --run-reproducer " + folder_.string()), std::string::npos)
        << text;
    EXPECT_EQ(text.find("graph @"), std::string::npos) << "the IR is in the file alone";
  }
  const std::string text = reproducer();
  const auto header = read_reproducer_header(text);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->pipeline, "canonicalize,throwing,dce");
  EXPECT_EQ(ir::to_string(*ir::parse_graph(text)), ir::to_string(*ir::parse_graph(kGraph)));
}

TEST_F(PipelineRun, WritesAReproducerWhenAPassBreaksTheGraph) {
  add_pass("breaking", [](ir::Graph& graph) {
    graph.parameters()[0]->next()->attributes().set("nonsense", true);
  });
  Options options;
  options.verify_each = true;

  EXPECT_THROW(run("breaking", options), std::runtime_error);
  EXPECT_TRUE(read_reproducer_header(reproducer()));
}

TEST_F(PipelineRun, KeepsTheLineOfAnErrorOfAPass) {
  add_pass("complaining", [](ir::Graph& graph) {
    throw Error(graph.parameters()[0]->next()->location(), "neg", "no good");
  });
  try {
    run("complaining");
    FAIL() << "the pass throws";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("model.cpp:7:3: error: neg: pass 'complaining' failed: no good"), 0U)
        << text;
  }
}

using PipelineRunDeathTest = PipelineRun;

TEST_F(PipelineRunDeathTest, WritesAReproducerWhenAPassCrashes) {
  add_pass("crashing", [](ir::Graph&) { raise(SIGSEGV); });
  const auto crash = [&] {
    auto graph = ir::parse_graph(kGraph);
    Options options;
    options.pass_pipeline = "canonicalize,crashing";
    options.reproducer_dir = folder_;
    const ScopedOptions scope(options);
    PassContext context;
    run_pipeline(*graph, context);
  };
  EXPECT_DEATH(crash(), "wick: a pass crashed; replay with: wick-opt --run-reproducer ");
  const auto header = read_reproducer_header(reproducer());
  ASSERT_TRUE(header);
  EXPECT_EQ(header->pipeline, "canonicalize,crashing");
}

TEST_F(PipelineRun, RunsWhatExtendsIt) {
  add_pass("idle", [](ir::Graph&) {});
  extend_pipeline("pipeline-end", "idle");
  run("@pipeline-start,cse,@pipeline-end");

  EXPECT_EQ(record_.pipeline, "cse,idle");
  EXPECT_THROW(extend_pipeline("pipeline-star", "cse"), std::invalid_argument);
  EXPECT_THROW(extend_pipeline("pipeline-start", "no-such-pass"), std::invalid_argument);
  EXPECT_THROW(extend_pipeline("pipeline-start", "cse,@pipeline-end"), std::invalid_argument);
  EXPECT_THROW(run("@nowhere"), std::invalid_argument);
}

}  // namespace
}  // namespace wick::passes
