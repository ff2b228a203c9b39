
#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"

// Each rule has a textual test in tests/ir_text; here is what text shows badly.

namespace wick::passes {
namespace {

using ir::OpKind;
using ir::Value;

std::string optimized(const ir::Graph& graph, std::string_view pipeline) {
  const auto copy = graph.clone();
  PassManager manager = PassManager::parse(pipeline);
  manager.set_verify_each(true);
  PassContext context;
  manager.run(*copy, context);
  return to_string(*copy);
}

TEST(Canonicalize, ReachesAFixedPoint) {
  const auto graph = ir::parse_graph(R"(
graph @g(%x: f32[4,3], %b: f32[3]) -> (f32[4,3]) {
  %one = constant {value = dense<f32[]: 1.0>} : f32[]
  %ones = broadcast %one {shape = [3]} : f32[3]
  %0 = mul %ones, %b : f32[3]
  %1 = neg %0 : f32[3]
  %2 = broadcast %1 {shape = [4, 3]} : f32[4,3]
  %3 = add %2, %x : f32[4,3]
  %4 = reshape %3 {shape = [12]} : f32[12]
  %5 = reshape %4 {shape = [4, 3]} : f32[4,3]
  return %5
}
)");

  const std::string once = optimized(*graph, "canonicalize");

  EXPECT_EQ(once, R"(graph @g(%x: f32[4,3], %b: f32[3]) -> (f32[4,3]) {
  %0 = sub %x, %b : f32[4,3]
  return %0
}
)");
  EXPECT_EQ(optimized(*graph, "canonicalize,canonicalize"), once);
}

TEST(Canonicalize, SaysWhetherItChangedAnything) {
  const auto graph = ir::parse_graph(R"(
graph @g(%x: f32[2]) -> (f32[2]) {
  %0 = neg %x : f32[2]
  %1 = neg %0 : f32[2]
  return %1
}
)");
  std::vector<bool> changes;
  PassManager manager = PassManager::parse("canonicalize,canonicalize");
  manager.add_instrumentation(
      {.before = {}, .after = [&](const Pass&, const ir::Graph&, bool changed, double) {
         changes.push_back(changed);
       }});
  PassContext context;

  manager.run(*graph, context);

  EXPECT_EQ(changes, (std::vector<bool>{true, false}));
}

TEST(Canonicalize, KeepsNamesAndLocations) {
  const auto graph = ir::parse_graph(R"(
graph @g(%x: f32[2]) -> (f32[2]) {
  %two = constant {value = dense<f32[]: 2.0>} : f32[]
  %square = pow %x, %two : f32[2] loc("train.cpp":7:3)
  return %square
}
)");
  PassManager manager = PassManager::parse("canonicalize");
  PassContext context;

  manager.run(*graph, context);

  EXPECT_EQ(to_string(*graph, {.locations = true}), R"(graph @g(%x: f32[2]) -> (f32[2]) {
  %square = mul %x, %x : f32[2] loc("train.cpp":7:3)
  return %square
}
)");
}

/// Sums with their operands in either order, over enough forms that hashes fall both ways.
TEST(Canonicalize, DoesNotDependOnTheOrderOfWriting) {
  const auto build = [](bool swapped) {
    auto graph = std::make_unique<ir::Graph>("g");
    const Value x = graph->add_parameter({DType::f32, {8}}, "x")->result();
    const Value y = graph->add_parameter({DType::f32, {8}}, "y")->result();
    ir::Builder builder(*graph);
    const auto commute = [&](OpKind op, Value a, Value b) {
      return swapped ? builder.op(op, {b, a}) : builder.op(op, {a, b});
    };
    Value sum = commute(OpKind::mul, x, y);
    for (const OpKind op : {OpKind::exp, OpKind::tanh, OpKind::sin, OpKind::cos, OpKind::erf}) {
      sum = commute(OpKind::add, sum, builder.op(op, {sum}));
      sum = commute(OpKind::maximum, builder.op(OpKind::neg, {sum}), sum);
    }
    graph->add_result(sum);
    return graph;
  };

  EXPECT_EQ(optimized(*build(false), "canonicalize"), optimized(*build(true), "canonicalize"));
}

// Quadratic work would take minutes here.
TEST(Canonicalize, TakesLongChains) {
  ir::Graph graph;
  Value x = graph.add_parameter({DType::f32, {4}}, "x")->result();
  ir::Builder builder(graph);
  constexpr int kLength = 100'000;
  for (int i = 0; i < kLength; ++i) {
    x = builder.op(i % 2 == 0 ? OpKind::neg : OpKind::exp, {x});
    x = builder.op(OpKind::reshape, {x}, {{"shape", Axes{4}}});
  }
  graph.add_result(x);
  PassManager manager = PassManager::parse("canonicalize,cse,dce");
  PassContext context;

  manager.run(graph, context);

  EXPECT_EQ(graph.num_nodes(), kLength + 1);
}

}  // namespace
}  // namespace wick::passes
