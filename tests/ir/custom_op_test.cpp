#include "wick/ir/custom_op.h"

#include <algorithm>

#include "support/sample_ops.h"
#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/dot.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/structural_hash.h"
#include "wick/ir/verifier.h"

namespace wick::ir {
namespace {

class CustomOps : public testing::Test {
 protected:
  void SetUp() override { register_sample_ops(); }
};

using Registration = CustomOps;
using Parsing = CustomOps;
using Meaning = CustomOps;
using Expansion = CustomOps;

std::string graph_of(std::string_view line, std::string_view result = "%0") {
  return "graph @main(%x: f32[3], %y: f32[3]) -> (f32[3]) {\n  " + std::string(line) +
         "\n  return " + std::string(result) + "\n}\n";
}

template <typename Thrown, typename Function>
std::string message_of(Function&& run) {
  try {
    run();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// The first line of what the parser says, behind the place.
std::string parse_error(std::string_view line, const ParseOptions& options = {}) {
  const std::string text =
      message_of<ParseError>([&] { (void)parse_graph(graph_of(line), "t", options); });
  const std::string first = text.substr(0, text.find('\n'));
  return first.substr(first.find("error: ") + 7);
}

CustomOp valid_op(std::string name) {
  return {.name = std::move(name),
          .infer = [](OperandTypes operands,
                      const Attributes&,
                      const Location&) { return *operands[0]; },
          .interpret = [](const Attributes&,
                          std::span<const Literal* const> operands,
                          const Type&) { return *operands[0]; }};
}

std::string refusal(CustomOp op) {
  return message_of<std::invalid_argument>([&] { register_custom_op(std::move(op)); });
}

TEST_F(Registration, FindsOpsByName) {
  ASSERT_NE(find_custom_op("sample.hypot"), nullptr);
  EXPECT_EQ(find_custom_op("sample.hypot")->summary, "sqrt(x^2 + y^2 + eps)");
  EXPECT_EQ(find_custom_op("sample.missing"), nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(custom_ops(), {}, &CustomOp::name));
}

TEST_F(Registration, RefusesMalformedNames) {
  for (const char* name :
       {"", "hypot", ".hypot", "geo.", "geo..hypot", "Geo.hypot", "geo.hy pot"}) {
    EXPECT_EQ(refusal(valid_op(name)),
              "an op is named like geo.hypot, words in lower case joined by dots, not '" +
                  std::string(name) + "'");
  }
}

TEST_F(Registration, RefusesASecondOpOfTheName) {
  EXPECT_EQ(refusal(valid_op("sample.hypot")), "an op named sample.hypot is registered already");
}

TEST_F(Registration, RefusesIncompleteOps) {
  CustomOp untyped = valid_op("sample.untyped");
  untyped.infer = nullptr;
  EXPECT_EQ(refusal(untyped),
            "the op sample.untyped cannot be registered: it has no rule for its result type");
  CustomOp empty = valid_op("sample.empty");
  empty.interpret = nullptr;
  EXPECT_EQ(
      refusal(empty),
      "the op sample.empty cannot be registered: it has neither interpret nor expand nor call");
  CustomOp narrow = valid_op("sample.narrow");
  narrow.min_operands = 2;
  EXPECT_EQ(refusal(narrow), "the op sample.narrow cannot be registered: it takes 2 to 1 operands");
}

TEST_F(Parsing, NamesTheNearestRegisteredOp) {
  EXPECT_EQ(parse_error(R"(%0 = "sample.hypo" %x, %y : f32[3])"),
            "the op sample.hypo is not registered; did you mean sample.hypot?");
  EXPECT_EQ(parse_error(R"(%0 = "elsewhere.something_different" %x : f32[3])"),
            "the op elsewhere.something_different is not registered; is its plug-in loaded?");
}

TEST_F(Parsing, TellsHowToWriteAPluginOp) {
  constexpr auto kText = "the name of a plug-in op stands in quotes, such as \"geo.hypot\"";
  EXPECT_EQ(parse_error("%0 = sample.hypot %x, %y : f32[3]"), kText);
  EXPECT_EQ(parse_error("%0 = custom %x, %y {op = \"sample.hypot\"} : f32[3]"), kText);
}

TEST_F(Parsing, ChecksWhatTheOpChecks) {
  EXPECT_EQ(parse_error(R"(%0 = "sample.hypot" %x : f32[3])"),
            "sample.hypot: takes 2 operands, got 1: f32[3]");
  EXPECT_EQ(parse_error(R"(%0 = "sample.hypot" %x, %y : f32[4])"),
            "the type of sample.hypot is f32[3], not f32[4]");
  EXPECT_EQ(
      parse_error(R"(%c = cast %x {dtype = f16} : f16[3] %0 = "sample.running_sum" %c : f16[3])"),
      "sample.running_sum: needs an f32 operand with an axis, got f16[3]");
  EXPECT_EQ(parse_error(R"(%0 = "sample.hypot" %x, %y {op = "x.y"} : f32[3])"),
            "the attribute op is the name in quotes");
  EXPECT_EQ(parse_error(R"(%0 = "sample.hypot" %x, %y {buffers = 1} : f32[3])"),
            "attribute buffers should be a list of strings, not an integer");
}

TEST_F(Parsing, TakesUnregisteredOpsWhenAllowed) {
  const std::string text = graph_of(R"(%0 = "elsewhere.op" %x, %y {deep = 3} : f32[3])");
  const auto graph = parse_graph(text, "t", {.allow_unregistered = true});
  EXPECT_EQ(to_string(*graph), text);
  EXPECT_EQ(verify(*graph), std::nullopt);
  EXPECT_EQ(verify(*graph->clone()), std::nullopt);
  const std::vector<Literal> values(2, Literal({DType::f32, {3}}));
  EXPECT_EQ(message_of<Error>([&] { (void)interpret(*graph, values); }),
            "error: elsewhere.op: the op elsewhere.op is not registered; is its plug-in "
            "loaded?");
}

TEST_F(Parsing, WantsWellFormedNamesOfUnregisteredOps) {
  EXPECT_EQ(parse_error(R"(%0 = "Strange Name" %x : f32[3])", {.allow_unregistered = true}),
            "an op in quotes is named like geo.hypot, not 'Strange Name'");
}

TEST_F(Meaning, PartsOfTheIrNameTheOp) {
  const auto graph = parse_graph(graph_of(R"(%0 = "sample.hypot" %x, %y {eps = 1.0} : f32[3])"));
  EXPECT_EQ(graph->last()->op_name(), "sample.hypot");
  const std::string dot = to_dot(*graph);
  EXPECT_NE(dot.find("%0\\nsample.hypot\\neps = 1.0\\nf32[3]"), std::string::npos) << dot;
}

TEST_F(Meaning, HashTellsOpsAndAttributesApart) {
  const auto hash = [](std::string_view line) {
    return structural_hash(*parse_graph(graph_of(line)));
  };
  const Hash128 hypot = hash(R"(%0 = "sample.hypot" %x, %y : f32[3])");
  EXPECT_EQ(hypot, hash(R"(%0 = "sample.hypot" %x, %y : f32[3])"));
  EXPECT_NE(hypot, hash(R"(%0 = "sample.ratio" %x, %y : f32[3])"));
  EXPECT_NE(hypot, hash(R"(%0 = "sample.hypot" %x, %y {eps = 1.0} : f32[3])"));
}

TEST_F(Meaning, VerifierFindsBrokenOps) {
  const auto graph = parse_graph(graph_of(R"(%0 = "sample.hypot" %x, %y : f32[3])"));
  graph->last()->attributes().set("in_place", std::vector<int64_t>{2});
  EXPECT_NE(verify(*graph)->find("in_place should name an operand"), std::string::npos);
  graph->last()->attributes().erase("in_place");
  graph->last()->attributes().set("not a name", true);
  EXPECT_NE(verify(*graph)->find("'not a name' is no name of an attribute"), std::string::npos);
  graph->last()->attributes().erase("not a name");
  graph->last()->attributes().erase("op");
  EXPECT_NE(verify(*graph)->find("attribute op is missing"), std::string::npos);
}

TEST_F(Meaning, InterpretsEachWayOfSayingWhatIsComputed) {
  const std::vector<float> x = {3, -5, 0};
  const std::vector<float> y = {4, 12, 2};
  const auto run = [&](std::string_view line) {
    const std::vector<Literal> values = {Literal::from<float>({3}, x),
                                         Literal::from<float>({3}, y)};
    const Literal result = interpret(*parse_graph(graph_of(line)), values).front();
    return std::vector<float>(result.values<float>().begin(), result.values<float>().end());
  };
  EXPECT_EQ(run(R"(%0 = "sample.hypot" %x, %y : f32[3])"), (std::vector<float>{5, 13, 2}));
  EXPECT_EQ(run(R"(%0 = "sample.running_sum" %x : f32[3])"), (std::vector<float>{3, -2, -2}));
  EXPECT_EQ(run(R"(%0 = "sample.twice" %x : f32[3])"), (std::vector<float>{6, -10, 0}));
  EXPECT_EQ(run(R"(%0 = "sample.ratio" %x, %y : f32[3])"),
            (std::vector<float>{0.75F, -5.0F / 12, 0}));
}

TEST_F(Meaning, FailuresNameOpAndPlace) {
  const auto graph = parse_graph(graph_of(R"(%0 = "sample.failing" %x : f32[3] loc("a.cpp":3:4))"));
  const std::vector<Literal> values(2, Literal({DType::f32, {3}}));
  EXPECT_EQ(message_of<Error>([&] { (void)interpret(*graph, values); }),
            "a.cpp:3:4: error: sample.failing: the machine is on fire");
}

TEST_F(Expansion, ReplacesOpsInsideExpansionsToo) {
  const auto graph = parse_graph(graph_of(
      R"(%h = "sample.nested" %x : f32[3] %last = "sample.running_sum" %h : f32[3])", "%last"));
  EXPECT_EQ(expand_custom_ops(*graph), 2);
  EXPECT_EQ(verify(*graph), std::nullopt);
  EXPECT_EQ(to_string(*graph),
            graph_of(R"(%0 = mul %x, %x : f32[3]
  %1 = mul %x, %x : f32[3]
  %2 = constant {value = dense<f32[]: 0>} : f32[]
  %3 = add %0, %1 : f32[3]
  %4 = add %3, %2 : f32[3]
  %h = sqrt %4 : f32[3]
  %last = "sample.running_sum" %h : f32[3])",
                     "%last"));
  EXPECT_EQ(expand_custom_ops(*graph), 0);
}

TEST_F(Expansion, ErrorsNameOpAndPlace) {
  const auto error = [](std::string_view op) {
    const auto graph =
        parse_graph(graph_of("%0 = \"" + std::string(op) + "\" %x : f32[3] loc(\"a.cpp\":3:4)"));
    return message_of<Error>([&] { expand_custom_ops(*graph); });
  };
  EXPECT_EQ(error("sample.endless"),
            "a.cpp:3:4: error: sample.endless: its expansion does not end");
  EXPECT_EQ(error("sample.wrong"),
            "a.cpp:3:4: error: sample.wrong: in its expansion: its value is f32[], not f32[3]");
}

TEST_F(Expansion, AnEndlessOpCannotBeInterpretedEither) {
  const auto graph = parse_graph(graph_of(R"(%0 = "sample.endless" %x : f32[3])"));
  const std::vector<Literal> values(2, Literal({DType::f32, {3}}));
  EXPECT_EQ(message_of<Error>([&] { (void)interpret(*graph, values); }),
            "error: sample.endless: its expansion does not end");
}

}  // namespace
}  // namespace wick::ir
