#include "wick/passes/pipeline_parser.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

std::string error_of(std::string_view pipeline) {
  try {
    (void)PassManager::parse(pipeline);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

std::vector<PipelineStage> parse(std::string_view text) {
  return parse_pipeline(text, PassRegistry::instance());
}

TEST(PipelineParser, ReadsNamesAndOptions) {
  const auto stages = parse(" canonicalize , constant-fold{ max-elements = 8 } ,dce{},cse");

  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].info->name, "canonicalize");
  EXPECT_EQ(stages[0].column, 1U);
  EXPECT_EQ(stages[1].info->name, "constant-fold");
  EXPECT_EQ(stages[1].options, (PassOptions{{"max-elements", "8"}}));
  EXPECT_TRUE(stages[2].options.empty());
  EXPECT_EQ(stages[3].info->name, "cse");
}

TEST(PipelineParser, ReadsFlagsWithoutAValue) {
  const auto stages = parse("constant-fold{max-elements}");

  EXPECT_EQ(stages[0].options, (PassOptions{{"max-elements", ""}}));
}

TEST(PipelineParser, TakesAnEmptyTextForNoPasses) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("  ").empty());
}

TEST(PipelineParser, ExpandsDefault) {
  EXPECT_EQ(parse("default,cse").size(), parse(default_pipeline()).size() + 1);
}

TEST(PipelineParser, NamesTheNearestPass) {
  EXPECT_EQ(error_of("cse,canonicalise"),
            "unknown pass 'canonicalise', did you mean 'canonicalize'?\n"
            "  cse,canonicalise\n"
            "      ^");
}

TEST(PipelineParser, GuessesNothingFarOff) {
  EXPECT_EQ(error_of("vectorize"),
            "unknown pass 'vectorize'\n"
            "  vectorize\n"
            "  ^");
}

TEST(PipelineParser, NamesTheNearestOption) {
  EXPECT_EQ(error_of("constant-fold{max-element=3}"),
            "pass 'constant-fold' has no option 'max-element', did you mean 'max-elements'?\n"
            "  constant-fold{max-element=3}\n"
            "                ^");
}

TEST(PipelineParser, RefusesOptionsOfPassesWithoutAny) {
  EXPECT_EQ(error_of("cse{x}"),
            "pass 'cse' has no option 'x'\n"
            "  cse{x}\n"
            "      ^");
}

TEST(PipelineParser, RefusesAnOptionGivenTwice) {
  EXPECT_EQ(error_of("constant-fold{max-elements=3,max-elements=4}"),
            "option 'max-elements' is given twice\n"
            "  constant-fold{max-elements=3,max-elements=4}\n"
            "                               ^");
}

TEST(PipelineParser, ShowsTheStageOfABadOptionValue) {
  EXPECT_EQ(error_of("cse,constant-fold{max-elements=many}"),
            "pass 'constant-fold': option 'max-elements' is 'many', expected an integer of at "
            "least 0\n"
            "  cse,constant-fold{max-elements=many}\n"
            "      ^");
}

TEST(PipelineParser, PointsAtWhatIsMissing) {
  EXPECT_EQ(error_of("cse,"), "expected a pass name\n  cse,\n      ^");
  EXPECT_EQ(error_of(",cse"), "expected a pass name\n  ,cse\n  ^");
  EXPECT_EQ(error_of("cse dce"), "expected ',' or end of pipeline\n  cse dce\n      ^");
  EXPECT_EQ(error_of("cse}"), "expected ',' or end of pipeline\n  cse}\n     ^");
  EXPECT_EQ(error_of("constant-fold{"),
            "expected an option name\n  constant-fold{\n                ^");
  EXPECT_EQ(error_of("constant-fold{max-elements=}"),
            "expected a value\n  constant-fold{max-elements=}\n                             ^");
  EXPECT_EQ(error_of("constant-fold{max-elements=3"),
            "expected ',' or '}'\n  constant-fold{max-elements=3\n                              ^");
}

}  // namespace
}  // namespace wick::passes
