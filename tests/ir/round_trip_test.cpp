#include "op_samples.h"
#include <gtest/gtest.h>

#include "wick/ir/dot.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/structural_hash.h"
#include "wick/ir/verifier.h"

namespace wick::ir {
namespace {

class EachOp : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static OpKind op() { return static_cast<OpKind>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Table,
                         EachOp,
                         testing::Range(0, kNumOps),
                         [](const testing::TestParamInfo<int>& info) {
                           return std::string(to_string(static_cast<OpKind>(info.param)));
                         });

TEST_P(EachOp, PrintsAsItWasParsed) {
  const std::string text = sample_of(op());
  ASSERT_NE(text, "") << "tests/ir/op_samples.cpp has no sample of this op";

  const std::unique_ptr<Graph> graph = parse_graph(text);

  EXPECT_EQ(to_string(*graph), text);
  bool is_there = false;
  for (const Node* node : graph->nodes()) {
    is_there = is_there || node->op() == op();
  }
  EXPECT_TRUE(is_there);
}

TEST_P(EachOp, SampleIsSoundAndSoIsItsClone) {
  const std::unique_ptr<Graph> graph = parse_graph(sample_of(op()));
  const std::unique_ptr<Graph> clone = graph->clone();

  EXPECT_EQ(verify(*graph), std::nullopt);
  EXPECT_EQ(verify(*clone), std::nullopt);
  EXPECT_EQ(to_string(*clone), to_string(*graph));
  EXPECT_EQ(structural_hash(*clone), structural_hash(*graph));
}

TEST_P(EachOp, InterpretsToTheDeclaredTypes) {
  const std::unique_ptr<Graph> graph = parse_graph(sample_of(op()));
  std::vector<Literal> parameters;
  for (const Node* parameter : graph->parameters()) {
    parameters.emplace_back(parameter->type());
  }

  const std::vector<Literal> results = interpret(*graph, parameters);

  ASSERT_EQ(results.size(), graph->results().size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].type(), graph->results()[i].type());
  }
}

TEST_P(EachOp, Draws) {
  const std::unique_ptr<Graph> graph = parse_graph(sample_of(op()));

  const std::string dot = to_dot(*graph);

  EXPECT_TRUE(dot.starts_with("digraph \""));
  EXPECT_TRUE(dot.ends_with("}\n"));
}

/// The text is what the printer makes of what the parser makes of it.
void expect_round_trip(const std::string& text, const PrintOptions& options = {}) {
  EXPECT_EQ(to_string(*parse_graph(text), options), text);
}

TEST(RoundTrip, KeepsEveryKindOfAttribute) {
  expect_round_trip(R"(graph @main(%x: f32[2] {donate, my.flag}) -> (f32[2]) {
  %0 = neg %x {my.dtype = bf16, my.empty = [], my.flag = true, my.floats = 1.0, my.huge = 1e+300, my.inf = -inf, my.list = [-1, 2], my.literal = dense<i8[2,2]: 1, 2, -128, 127>, my.nan = nan(0xfff8000000000001), my.no_texts = texts[], my.number = -5, my.off = false, my.text = "a \"b\"\n\t\\ \x01 ü", my.texts = ["arena+0", ""]} : f32[2]
  return %0
}
)");
}

TEST(RoundTrip, KeepsTheBitsOfLiterals) {
  for (const char* literal : {"f32[3]: inf, -inf, nan",
                              "f32[4]: nan(0x7f800001), nan(0xffc00000), -0, 1e-45",
                              "f32[3]: 0.1, 3.4028235e+38, 1.1754944e-38",
                              "f64[3]: 0.1, 5e-324, nan(0x7ff8000000000002)",
                              "f16[4]: 65504, 5.9604645e-08, nan(0x7e01), 1.0009766",
                              "bf16[3]: 1.0078125, -inf, nan(0x7fc1)",
                              "i8[2]: -128, 127",
                              "i16[2]: -32768, 32767",
                              "i32[2]: -2147483648, 2147483647",
                              "i64[2]: -9223372036854775808, 9223372036854775807",
                              "u8[2]: 0, 255",
                              "bool[2]: true, false",
                              "f32[]: 7",
                              "f32[2,500]: splat -0.5",
                              "f32[0,3]"}) {
    const std::string type(literal, std::string_view(literal).find(']') + 1);
    expect_round_trip("graph @main() -> (" + type + ") {\n  %0 = constant {value = dense<" +
                      literal + ">} : " + type + "\n  return %0\n}\n");
  }
}

TEST(RoundTrip, KeepsLocationsWhenAskedTo) {
  const std::string text = R"(graph @main(%x: f32[2]) -> (f32[2]) {
  %0 = neg %x : f32[2] loc("a \"b\".cpp":41:12)
  return %0
}
)";

  expect_round_trip(text, {.locations = true});
  EXPECT_EQ(parse_graph(text)->last()->location(), Location("a \"b\".cpp", 41, 12));
}

TEST(RoundTrip, KeepsFusionsWithoutOperandsOrResults) {
  expect_round_trip(R"(graph @main() -> () {
  fusion @k() {
    ^():
    yield
  } : ()
  return
}
)");
}

TEST(Printer, TellsEqualNamesApartAndNumbersTheRest) {
  Graph graph("a graph");
  const Value x = graph.add_parameter({DType::f32, {2}}, "x")->result();
  Node* first = graph.add(OpKind::neg, {x});
  Node* second = graph.add(OpKind::exp, {first->result()});
  Node* third = graph.add(OpKind::log, {second->result()});
  first->set_name("x");
  third->set_name("7");
  graph.set_results({third->result()});

  const std::string text = to_string(graph);

  EXPECT_EQ(text, R"(graph @a_graph(%x: f32[2]) -> (f32[2]) {
  %x_1 = neg %x : f32[2]
  %0 = exp %x_1 : f32[2]
  %1 = log %0 : f32[2]
  return %1
}
)");
  expect_round_trip(text);
  EXPECT_EQ(to_string(*second), "%0 = exp %x_1 : f32[2]");
}

TEST(Parser, IgnoresCommentsAndLayout) {
  const std::vector<std::unique_ptr<Graph>> graphs = parse_graphs(R"(
// RUN: nothing
graph @a(%x:f32[2])->(f32[2]){ return %x } // at the end of a line
graph @b(
  %x: f32[ 2 , 3 ]) -> (f32[2,3]) {
  %y = neg // in between
    %x : f32[2,3]
  return %y }
)");

  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_EQ(graphs[0]->name(), "a");
  EXPECT_EQ(graphs[1]->last()->op(), OpKind::neg);
}

}  // namespace
}  // namespace wick::ir
