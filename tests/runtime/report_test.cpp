// The HTML report and the list of compiles.

#include "wick/runtime/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wick::runtime {
namespace {

using nlohmann::json;

/// The data that a page carries for its scripts.
json data_of(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const size_t from = page.find(begin) + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

size_t count(const std::string& text, const std::string& part) {
  size_t result = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++result;
  return result;
}

TEST(Report, OddCharactersSurvive) {
  CompileRecord record;
  record.graph_name = "</script><b>\"bold\" & 'more'";
  record.trigger.where = {"odd \"file\"\\<!--\n\xC3\xA9.cpp", 3, 4};
  record.pipeline.recorded = "graph @main() -> () {\n  return\n}\n";

  const json data = data_of(report_html(record, {}));

  EXPECT_EQ(data["graph"], record.graph_name);
  EXPECT_EQ(data["where"], "odd \"file\"\\<!--\n\xC3\xA9.cpp:3:4");
  EXPECT_EQ(data["recorded"], record.pipeline.recorded);
}

TEST(Report, BytesThatAreNoTextBecomeReplacementCharacters) {
  CompileRecord record;
  record.error = "broken \xFF\xFE here";

  const json data = data_of(report_html(record, {}));

  EXPECT_EQ(data["error"], "broken \xEF\xBF\xBD\xEF\xBF\xBD here");
}

TEST(Report, LoadsNothing) {
  const std::string page = report_html({}, {});

  // The one address is the name space of SVG, which browsers do not fetch.
  EXPECT_EQ(count(page, "http"), count(page, "http://www.w3.org/2000/svg"));
  for (const char* loading : {" src=", "@import", "url(", "<link", "fetch(", "import("})
    EXPECT_EQ(count(page, loading), 0U) << loading;
}

TEST(Report, PagesHaveNoMarksLeft) {
  for (const std::string& page : {report_html({}, {}), index_html({})}) {
    EXPECT_EQ(count(page, "{{style}}") + count(page, "{{data}}") + count(page, "{{script}}"), 0U);
    EXPECT_TRUE(page.starts_with("<!doctype html>"));
  }
}

TEST(Report, TimingIsJson) {
  CompileRecord record;
  record.number = 7;
  record.times = {.import = 1, .passes = 2, .lowering = 3, .kernels = 4, .plan = 5};
  record.pipeline.stages.push_back({.pass = "cse", .changed = true, .milliseconds = 2, .ir = "x"});

  const json timing = json::parse(timing_json(record));

  EXPECT_EQ(timing["number"], 7);
  EXPECT_EQ(timing["times"]["total"], 15);
  EXPECT_EQ(timing["stages"], json::parse(R"([{"pass": "cse", "changed": true, "ms": 2.0}])"));
}

TEST(Report, TheIndexLeavesOutWhatDoesNotParse) {
  CompileRecord record;
  record.number = 7;
  const std::vector<CompileSummary> compiles = {{"0006-main", "{ \"numb"},
                                                {"0007-main", timing_json(record)}};

  const json data = data_of(index_html(compiles));

  ASSERT_EQ(data.size(), 1U);
  EXPECT_EQ(data[0]["folder"], "0007-main");
  EXPECT_EQ(data[0]["number"], 7);
}

TEST(Report, CommandsAreQuotedForAShell) {
  CompileRecord record;
  record.pipeline.pipeline = "fuse{max-ops=64},dce";
  record.environment.directory = "/a b";
  record.environment.variables = {"WICK_FLAGS=--timing --x='y'"};
  record.environment.command_line = {"./train", "it's"};

  const std::vector<ReplayCommand> commands =
      replay_commands(record, "/d/0001-main/00.recorded.wick");

  EXPECT_EQ(commands[0].command,
            "wick-opt --print-locations --pass-pipeline='fuse{max-ops=64},dce' "
            "/d/0001-main/00.recorded.wick");
  EXPECT_EQ(commands[1].command, "wick-run /d/0001-main/00.recorded.wick");
  EXPECT_EQ(commands[2].command,
            "cd '/a b' && WICK_FLAGS='--timing --x='\\''y'\\''' ./train 'it'\\''s'");
}

}  // namespace
}  // namespace wick::runtime
