#include "wick/ir/verifier.h"

#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/parser.h"

namespace wick::ir {
namespace {

using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string>;

std::string broken(const Graph& graph) {
  return verify(graph).value_or("sound");
}

/// x f32[2,3], y = neg x, z = exp y, returned.
class Chain : public testing::Test {
 protected:
  Graph graph_{"g"};
  Node* x_ = graph_.add_parameter({DType::f32, {2, 3}}, "x");
  Node* y_ = graph_.add(OpKind::neg, {x_->result()}, {}, {"train.cpp", 41, 12});
  Node* z_ = graph_.add(OpKind::exp, {y_->result()});

  void SetUp() override { graph_.set_results({z_->result()}); }
};

TEST_F(Chain, IsSound) {
  EXPECT_EQ(broken(graph_), "sound");
}

TEST_F(Chain, OperandsComeEarlier) {
  graph_.move_before(z_, y_);

  EXPECT_EQ(broken(graph_), "in graph @g: operand 0 should come earlier: %0 = exp %1 : f32[2,3]");
}

TEST_F(Chain, ParametersComeFirst) {
  graph_.move_before(x_, y_->next());

  EXPECT_EQ(broken(graph_), "in graph @g: parameters should come first, in order: %x: f32[2,3]");
}

TEST_F(Chain, OperandsAreOfTheSameGraph) {
  Graph other("other");
  Node* stranger = other.add_parameter({DType::f32, {2, 3}});
  graph_.set_operand(z_, 0, stranger->result());

  EXPECT_EQ(broken(graph_),
            "in graph @g: operand 0 is not a value of this graph: %1 = exp %? : f32[2,3]");

  graph_.set_operand(z_, 0, y_->result());
}

TEST_F(Chain, ResultsAreOfTheSameGraph) {
  Graph other("other");
  other.add_result(y_->result());

  EXPECT_EQ(broken(other), "in graph @other: result 0 is not a value of this graph");
  EXPECT_EQ(broken(graph_),
            "train.cpp:41:12: in graph @g: the list of uses is not exact: %0 = neg %x : f32[2,3]");

  other.set_results({});
}

TEST_F(Chain, TypesAreThoseInferred) {
  Node* w = graph_.add_parameter({DType::f32, {4}}, "w");
  graph_.set_operand(y_, 0, w->result());

  EXPECT_EQ(broken(graph_),
            "train.cpp:41:12: in graph @g: the type should be f32[4]: %0 = neg %w : f32[2,3]");
}

TEST_F(Chain, OperandsFitTheOp) {
  Node* i = graph_.add_parameter({DType::i32, {2, 3}}, "i");
  graph_.set_operand(z_, 0, i->result());

  EXPECT_EQ(broken(graph_),
            "in graph @g: needs a float operand, got i32[2,3]: %1 = exp %i : f32[2,3]");
}

TEST_F(Chain, AttributesAreKnownAndOfTheRightKind) {
  z_->attributes().set("axes", Ints{1});
  EXPECT_EQ(broken(graph_),
            "in graph @g: exp has no attribute axes: %1 = exp %0 {axes = [1]} : f32[2,3]");

  z_->attributes() = {{"buffers", Texts{}}};
  EXPECT_EQ(broken(graph_),
            "in graph @g: buffers should name one for each result: %1 = exp %0 {buffers = texts[]} "
            ": f32[2,3]");

  z_->attributes() = {{"buffers", int64_t{1}}};
  EXPECT_EQ(broken(graph_),
            "in graph @g: attribute buffers should be a list of strings, not an integer: %1 = exp "
            "%0 {buffers = 1} : f32[2,3]");

  z_->attributes() = {{"buffers", Texts{"arena+0"}}, {"my.mark", 1.5}};
  EXPECT_EQ(broken(graph_), "sound");
}

TEST_F(Chain, ScalarParametersHaveRankZero) {
  x_->attributes().set("scalar", true);

  EXPECT_EQ(broken(graph_),
            "in graph @g: a scalar parameter should have rank 0: %x: f32[2,3] {scalar}");
}

std::unique_ptr<Graph> fused() {
  return parse_graph(R"(graph @g(%x: f32[2]) -> (f32[2]) {
  %y = fusion @k(%x) { ^(%a: f32[2]): %b = neg %a : f32[2] yield %b } {in_place = [0]} : f32[2]
  return %y
})");
}

TEST(VerifyFusion, BodiesAreSound) {
  const std::unique_ptr<Graph> graph = fused();
  Graph& body = *graph->last()->body();
  body.last()->attributes().set("axis", int64_t{0});

  EXPECT_EQ(broken(*graph),
            "in graph @k: neg has no attribute axis: %b = neg %a {axis = 0} : f32[2]");
}

TEST(VerifyFusion, BodiesMatchTheirFusion) {
  const std::unique_ptr<Graph> graph = fused();
  Graph& body = *graph->last()->body();
  body.add_result(body.last()->result());

  EXPECT_TRUE(broken(*graph).starts_with(
      "in graph @g: the body's parameters and results should match the fusion's: %y = fusion"));
}

TEST(VerifyFusion, InPlaceNamesOperands) {
  const std::unique_ptr<Graph> graph = fused();
  graph->last()->attributes().set("in_place", Ints{1});

  EXPECT_TRUE(broken(*graph).starts_with(
      "in graph @g: in_place should name an operand or -1 for each result: %y = fusion"));
}

TEST(VerifyFusion, BodiesHoldNoOpaqueOps) {
  const std::unique_ptr<Graph> graph = parse_graph(R"(
graph @g(%x: f32[2], %i: i32[1], %u: f32[1]) -> (f32[2]) {
  %y = fusion @k(%x, %i, %u) { ^(%a: f32[2], %b: i32[1], %c: f32[1]):
    %d = scatter %a, %b, %c {axis = 0} : f32[2] yield %d } : f32[2]
  return %y
})");

  EXPECT_EQ(broken(*graph),
            "in graph @k: the op should not be inside a fusion: %d = scatter %a, %b, %c {axis "
            "= 0} : f32[2]");
}

TEST(VerifyFusion, BodiesHoldNoFusions) {
  const std::unique_ptr<Graph> graph = fused();
  Graph& body = *graph->last()->body();
  body.add_fusion({}, std::make_unique<Graph>("inner"));

  EXPECT_TRUE(broken(*graph).starts_with(
      "in graph @k: the op should not be inside a fusion: fusion @inner"));
}

}  // namespace
}  // namespace wick::ir
