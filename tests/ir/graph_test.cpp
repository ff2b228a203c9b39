#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/structural_hash.h"
#include "wick/ir/verifier.h"

namespace wick::ir {
namespace {

const Type kVector{DType::f32, {2}};

TEST(Graph, ReplacesUsesInNodesAndResults) {
  Graph graph;
  const Value x = graph.add_parameter(kVector, "x")->result();
  const Value y = graph.add(OpKind::neg, {x})->result();
  const Value z = graph.add(OpKind::add, {y, y})->result();
  graph.set_results({y, z});

  graph.replace_all_uses(y, x);

  EXPECT_FALSE(y.node->has_uses());
  EXPECT_EQ(x.node->uses_of(0).size(), 4U);
  EXPECT_EQ(graph.results()[0], x);
  EXPECT_EQ(verify(graph), std::nullopt);
  graph.erase(y.node);
  EXPECT_EQ(verify(graph), std::nullopt);
  EXPECT_EQ(graph.num_nodes(), 2);
}

TEST(Graph, ReplacesOneResultOfAFusionByTheOther) {
  const std::unique_ptr<Graph> graph = parse_graph(R"(graph @g(%x: f32[2]) -> (f32[2], f32[2]) {
  %a, %b = fusion @k(%x) { ^(%p: f32[2]): %q = neg %p : f32[2] yield %p, %q } : (f32[2], f32[2])
  %c = add %a, %b : f32[2]
  return %c, %a
})");
  Node* fusion = graph->first()->next();

  graph->replace_all_uses(fusion->result(0), fusion->result(1));

  EXPECT_EQ(fusion->uses_of(0).size(), 0U);
  EXPECT_EQ(fusion->uses_of(1).size(), 3U);
  EXPECT_EQ(verify(*graph), std::nullopt);
}

TEST(Graph, InsertsBeforeANodeAndParametersFirst) {
  Graph graph("g");
  Builder append(graph);
  const Value c = append.scalar(DType::f32, 1);
  const Value x = graph.add_parameter(kVector, "x")->result();
  const Value sum = append.op(OpKind::add, {x, c});
  const Value n = Builder(*sum.node).op(OpKind::neg, {x});
  graph.set_operand(sum.node, 0, n);
  graph.add_parameter(kVector, "y");
  graph.set_results({sum});

  EXPECT_EQ(verify(graph), std::nullopt);
  EXPECT_EQ(to_string(graph), R"(graph @g(%x: f32[2], %y: f32[2]) -> (f32[2]) {
  %0 = constant {value = dense<f32[]: 1>} : f32[]
  %1 = neg %x : f32[2]
  %2 = add %1, %0 : f32[2]
  return %2
}
)");
}

TEST(Graph, ErasesParametersWithoutUses) {
  Graph graph("g");
  graph.add_parameter(kVector, "x");
  Node* y = graph.add_parameter(kVector, "y");
  graph.set_results({y->result()});

  graph.erase_parameter(0);

  EXPECT_EQ(to_string(graph), "graph @g(%y: f32[2]) -> (f32[2]) {\n  return %y\n}\n");
  EXPECT_EQ(verify(graph), std::nullopt);
  EXPECT_THROW(graph.erase_parameter(0), std::logic_error);
}

TEST(Graph, KeepsNothingOfANodeThatDoesNotFit) {
  Graph graph;
  const Value x = graph.add_parameter(kVector)->result();
  const Value i = graph.add_parameter({DType::i32, {2}})->result();

  EXPECT_THROW(graph.add(OpKind::add, {x, i}), Error);

  EXPECT_EQ(graph.num_nodes(), 2);
  EXPECT_FALSE(x.node->has_uses());
}

// Printed, parsed, cloned, hashed and destroyed without recursion: a frame a node would not fit the
// stack.
TEST(Graph, MayBeVeryDeep) {
  constexpr int kDepth = 300'000;
  Graph graph;
  Value value = graph.add_parameter(kVector)->result();
  for (int i = 0; i < kDepth; ++i) {
    value = graph.add(OpKind::neg, {value})->result();
  }
  graph.set_results({value});

  const std::unique_ptr<Graph> parsed = parse_graph(to_string(graph));
  const std::unique_ptr<Graph> clone = parsed->clone();

  EXPECT_EQ(verify(*clone), std::nullopt);
  EXPECT_EQ(structural_hash(*clone), structural_hash(graph));
}

// Finding each use by a walk over the others would take minutes.
TEST(Graph, MayHaveValuesWithManyUses) {
  constexpr int kWidth = 300'000;
  Graph graph;
  const Value x = graph.add_parameter(kVector)->result();
  const Value y = graph.add_parameter(kVector)->result();
  std::vector<Node*> nodes;
  for (int i = 0; i < kWidth; ++i) {
    nodes.push_back(graph.add(OpKind::neg, {x}));
  }

  for (int i = 0; i < kWidth; i += 2) {
    graph.set_operand(nodes[static_cast<size_t>(i)], 0, y);
    graph.erase(nodes[static_cast<size_t>(i) + 1]);
  }

  EXPECT_FALSE(x.node->has_uses());
  EXPECT_EQ(y.node->uses().size(), size_t{kWidth} / 2);
  EXPECT_EQ(verify(graph), std::nullopt);
}

TEST(Attributes, AreSortedAndReadBack) {
  Attributes attributes{{"b", int64_t{1}}, {"a", true}};
  attributes.set("b", int64_t{2});
  attributes.set("c", DType::f16);

  ASSERT_EQ(attributes.entries().size(), 3U);
  EXPECT_EQ(attributes.entries()[0].first, "a");
  EXPECT_TRUE(attributes.flag("a"));
  EXPECT_EQ(attributes.integer("b", 7), 2);
  EXPECT_EQ(attributes.integer("absent", 7), 7);
  EXPECT_EQ(attributes.dtype("c"), DType::f16);
  EXPECT_TRUE(attributes.integers("absent").empty());
  EXPECT_THROW((void)attributes.flag("b"), std::logic_error);
  EXPECT_THROW((void)attributes.dtype("absent"), std::logic_error);
  attributes.erase("a");
  EXPECT_FALSE(attributes.has("a"));
}

TEST(Attributes, HashTellsNamesKindsAndValuesApart) {
  const Attributes all[] = {{},
                            {{"a", int64_t{1}}},
                            {{"a", true}},
                            {{"b", int64_t{1}}},
                            {{"a", int64_t{2}}},
                            {{"a", std::vector<int64_t>{1}}},
                            {{"a", std::vector<int64_t>{1, 0}}},
                            {{"a", std::string("1")}},
                            {{"a", std::vector<std::string>{"1"}}},
                            {{"a", Literal::scalar(DType::f32, 0.0)}},
                            {{"a", Literal::scalar(DType::f32, -0.0)}},
                            {{"a", Literal::scalar(DType::i32, 0)}}};
  for (const Attributes& a : all) {
    for (const Attributes& b : all) {
      EXPECT_EQ(a.hash() == b.hash(), &a == &b);
      EXPECT_EQ(a == b, &a == &b);
    }
  }
}

TEST(StructuralHash, IgnoresNamesAndLocationsOnly) {
  const auto hash = [](std::string_view text) { return structural_hash(*parse_graph(text)); };
  const Hash128 base =
      hash("graph @a(%x: f32[2]) -> (f32[2]) { %y = sub %x, %x : f32[2] return %y }");

  EXPECT_EQ(hash("graph @b(%p: f32[2]) -> (f32[2]) { %q = sub %p, %p : f32[2] loc(\"f\":1:2) "
                 "return %q }"),
            base);
  EXPECT_NE(hash("graph @a(%x: f32[3]) -> (f32[3]) { %y = sub %x, %x : f32[3] return %y }"), base);
  EXPECT_NE(hash("graph @a(%x: f32[2]) -> (f32[2]) { %y = add %x, %x : f32[2] return %y }"), base);
  EXPECT_NE(hash("graph @a(%x: f32[2]) -> (f32[2]) { %y = sub %x, %x : f32[2] return %x }"), base);
  EXPECT_NE(
      hash("graph @a(%x: f32[2] {donate}) -> (f32[2]) { %y = sub %x, %x : f32[2] return %y }"),
      base);
}

TEST(ExpressionHashes, SeeThroughLeavesAndTheOrderOfCommutativeOperands) {
  const std::unique_ptr<Graph> graph = parse_graph(R"(graph @g(%x: f32[2], %y: f32[2]) -> () {
  %e = exp %x : f32[2]
  %a = add %e, %y : f32[2]
  %b = add %x, %e : f32[2]
  %s = sub %e, %x : f32[2]
  %t = sub %x, %e : f32[2]
  return
})");
  const std::vector<Hash128> hashes = expression_hashes(*graph);
  const auto nodes = graph->nodes();
  const auto hash = [&](size_t i) { return hashes[static_cast<size_t>(nodes[i]->id())]; };

  EXPECT_EQ(hash(0), hash(1));
  EXPECT_EQ(hash(3), hash(4));
  EXPECT_NE(hash(5), hash(6));
}

TEST(Hash, PrintsAllDigitsAndTellsBytesApart) {
  EXPECT_EQ(to_string(Hash128{1, 2}), "00000000000000020000000000000001");
  EXPECT_NE(hash_bytes(""), hash_bytes(std::string_view("\0", 1)));
  EXPECT_NE(hash_bytes("abcdefghijklmnopq"), hash_bytes("abcdefghijklmnopr"));
  EXPECT_EQ(hash_bytes("abc"), hash_bytes("abc"));
}

TEST(Location, ComparesAndInterns) {
  const char* file = intern_file(std::string("a.cpp"));

  EXPECT_EQ(file, intern_file("a.cpp"));
  EXPECT_EQ(Location(file, 1, 2), Location("a.cpp", 1, 2));
  EXPECT_FALSE(Location(file, 1, 2) == Location("b.cpp", 1, 2));
  EXPECT_EQ(to_string(Location(file, 1, 2)), "a.cpp:1:2");
  EXPECT_EQ(to_string(Location()), "<unknown>");
}

}  // namespace
}  // namespace wick::ir
