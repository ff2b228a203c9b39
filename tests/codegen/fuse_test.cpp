// What becomes one kernel, and how long deciding takes.

#include <algorithm>
#include <random>

#include "run_lowered.h"
#include <gtest/gtest.h>

#include "wick/ir/builder.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"

namespace wick::test {
namespace {

using ir::Attributes;
using ir::Builder;
using ir::OpKind;
using ir::Value;

size_t num_kernels(const ir::Graph& graph) {
  return fusions_of(*expect_kernels_agree(graph, 3)).size();
}

size_t num_kernels(const std::string& text) {
  return num_kernels(*ir::parse_graph(text));
}

/// Steps of the fuse pass, and the fused graph.
int64_t fuse_work(ir::Graph& graph) {
  passes::PassManager manager = passes::PassManager::parse("fuse");
  passes::PassContext context;
  manager.run(graph, context);
  return context.statistics().at("fuse.work");
}

TEST(Fuse, MandelbrotOfTwentyIterationsIsOneKernel) {
  ir::Graph graph("mandelbrot");
  const Type type{DType::f32, {7, 9}};
  const Value cx = graph.add_parameter(type, "cx")->result();
  const Value cy = graph.add_parameter(type, "cy")->result();
  Builder b(graph);
  Value x = cx;
  Value y = cy;
  Value count = b.op(OpKind::sub, {cx, cx});
  const Value four = b.scalar(DType::f32, 4);
  const Value half = b.scalar(DType::f32, 0.5);
  for (int i = 0; i < 20; ++i) {
    const Value xx = b.op(OpKind::mul, {x, x});
    const Value yy = b.op(OpKind::mul, {y, y});
    const Value xy = b.op(OpKind::mul, {x, y});
    x = b.op(OpKind::minimum, {b.op(OpKind::add, {b.op(OpKind::sub, {xx, yy}), cx}), half});
    y = b.op(OpKind::add, {xy, cy});
    const Value inside = b.op(OpKind::lt, {b.op(OpKind::add, {xx, yy}), four});
    count = b.op(OpKind::add, {count, b.op(OpKind::cast, {inside}, {{"dtype", DType::f32}})});
  }
  graph.set_results({count});

  EXPECT_EQ(num_kernels(graph), 1U);
}

TEST(Fuse, SharedLoadsMakeOneKernelWithThreeOutputs) {
  const auto fused = expect_kernels_agree(*ir::parse_graph(R"(
graph @f(%a: f32[40], %b: f32[40]) -> (f32[40], f32[40], f32[40]) {
  %0 = add %a, %b : f32[40]
  %1 = mul %a, %a : f32[40]
  %2 = exp %b : f32[40]
  return %0, %1, %2
})"),
                                          1);

  const auto fusions = fusions_of(*fused);
  ASSERT_EQ(fusions.size(), 1U) << ir::to_string(*fused);
  EXPECT_EQ(fusions[0]->num_results(), 3);
}

TEST(Fuse, SumAndElementwiseOfOneOperandAreSiblings) {
  EXPECT_EQ(num_kernels(R"(
graph @f(%a: f32[20,40]) -> (f32[20,40], f32[20], f32[20]) {
  %0 = exp %a : f32[20,40]
  %1 = reduce_sum %a {axes = [1]} : f32[20]
  %2 = reduce_max %a {axes = [1]} : f32[20]
  return %0, %1, %2
})"),
            1U);
}

TEST(Fuse, ReductionsOverDifferentAxesStayApart) {
  EXPECT_EQ(num_kernels(R"(
graph @f(%a: f32[20,40]) -> (f32[20], f32[40]) {
  %1 = reduce_sum %a {axes = [1]} : f32[20]
  %2 = reduce_max %a {axes = [0]} : f32[40]
  return %1, %2
})"),
            2U);
}

TEST(Fuse, LogSoftmaxAndItsGradientAreOneKernelEach) {
  EXPECT_EQ(num_kernels(R"(
graph @f(%x: f32[20,10], %g: f32[20,10]) -> (f32[20,10], f32[20,10]) {
  %m = reduce_max %x {axes = [1], keepdims = true} : f32[20,1]
  %s = sub %x, %m : f32[20,10]
  %e = exp %s : f32[20,10]
  %t = reduce_sum %e {axes = [1], keepdims = true} : f32[20,1]
  %l = log %t : f32[20,1]
  %y = sub %s, %l : f32[20,10]
  %p = exp %y : f32[20,10]
  %h = reduce_sum %g {axes = [1], keepdims = true} : f32[20,1]
  %q = mul %p, %h : f32[20,10]
  %d = sub %g, %q : f32[20,10]
  return %y, %d
})"),
            1U);
}

TEST(Fuse, AFusionNeverWaitsForItself) {
  // exp(a) feeds the product and what comes after it: joining both sides would close a circle.
  const auto fused = expect_kernels_agree(*ir::parse_graph(R"(
graph @f(%a: f32[8,8], %w: f32[8,8]) -> (f32[8,8]) {
  %0 = exp %a : f32[8,8]
  %1 = matmul %0, %w : f32[8,8]
  %2 = add %0, %1 : f32[8,8]
  %3 = tanh %2 : f32[8,8]
  return %3
})"),
                                          1);

  EXPECT_EQ(fusions_of(*fused).size(), 2U) << ir::to_string(*fused);
}

TEST(Fuse, WhatIsStoredForAContractionIsReadBehindIt) {
  const auto fused = expect_kernels_agree(*ir::parse_graph(R"(
graph @f(%a: f32[8,8], %w: f32[8,8]) -> (f32[8,8]) {
  %0 = abs %a : f32[8,8]
  %1 = matmul %0, %w : f32[8,8]
  %2 = mul %0, %1 : f32[8,8]
  return %2
})"),
                                          1);

  const auto fusions = fusions_of(*fused);
  ASSERT_EQ(fusions.size(), 2U);
  EXPECT_EQ(fusions[1]->body()->num_nodes(), 3);  // two parameters, mul
}

TEST(Fuse, ASiblingIsNotMergedWithoutEnd) {
  ir::Graph graph("fan");
  const Value x = graph.add_parameter({DType::f32, {16}}, "x")->result();
  Builder b(graph);
  std::vector<Value> results;
  for (int i = 0; i < 200; ++i) {
    results.push_back(b.op(OpKind::add, {x, b.scalar(DType::f32, i)}));
  }
  graph.set_results(results);

  const auto fused = expect_kernels_agree(graph, 1);

  EXPECT_LE(fusions_of(*fused).size(), 8U);
  for (const ir::Node* fusion : fusions_of(*fused))
    EXPECT_LE(fusion->num_results(), 48);
}

TEST(Fuse, CostlyProducersAreNotRepeatedByBroadcasting) {
  EXPECT_EQ(num_kernels(R"(
graph @f(%a: f32[40], %b: f32[30,40]) -> (f32[30,40]) {
  %0 = exp %a : f32[40]
  %1 = mul %0, %b : f32[30,40]
  return %1
})"),
            2U);
  EXPECT_EQ(num_kernels(R"(
graph @f(%a: f32[40], %b: f32[30,40]) -> (f32[30,40]) {
  %0 = neg %a : f32[40]
  %1 = mul %0, %b : f32[30,40]
  return %1
})"),
            1U);
  EXPECT_EQ(num_kernels(R"(
graph @f(%a: f32[] {scalar}, %b: f32[30,40]) -> (f32[30,40]) {
  %0 = exp %a : f32[]
  %1 = mul %0, %b : f32[30,40]
  return %1
})"),
            1U);
}

TEST(Fuse, LongChainsAreCutAtTheLimits) {
  ir::Graph graph("chain");
  Value x = graph.add_parameter({DType::f32, {16}}, "x")->result();
  Builder b(graph);
  for (int i = 0; i < 100; ++i)
    x = b.op(OpKind::abs, {x});
  graph.set_results({x});

  auto fused = graph.clone();
  run_pipeline(*fused, "fuse{max-ops=32}");

  const auto fusions = fusions_of(*fused);
  EXPECT_EQ(fusions.size(), 4U);
  for (const ir::Node* fusion : fusions)
    EXPECT_LE(fusion->body()->num_nodes(), 33);
}

TEST(Fuse, ManyOperandsAreCutAtTheLimit) {
  ir::Graph graph("sum");
  Builder b(graph);
  const Type type{DType::f32, {16}};
  Value sum = graph.add_parameter(type)->result();
  for (int i = 0; i < 100; ++i)
    sum = b.op(OpKind::add, {sum, graph.add_parameter(type)->result()});
  graph.set_results({sum});

  const auto fused = expect_kernels_agree(graph, 5);

  EXPECT_LE(fusions_of(*fused).size(), 4U);
  for (const ir::Node* fusion : fusions_of(*fused))
    EXPECT_LE(fusion->num_operands(), 48);
}

TEST(Fuse, OrderOfWritingDoesNotMatter) {
  const auto bodies = [](const std::string& text) {
    const auto fused = parse_and_fuse(text);
    std::string out;
    for (const ir::Node* fusion : fusions_of(*fused)) {
      out += codegen::to_string(*codegen::lower(*fusion).launches[0].kernel, false);
    }
    return out;
  };

  const std::string first = bodies(R"(
graph @f(%a: f32[20,30], %b: f32[20,30]) -> (f32[20,30], f32[20]) {
  %0 = exp %a : f32[20,30]
  %1 = mul %a, %b : f32[20,30]
  %2 = tanh %1 : f32[20,30]
  %3 = add %0, %2 : f32[20,30]
  %4 = reduce_sum %1 {axes = [1]} : f32[20]
  return %3, %4
})");
  const std::string second = bodies(R"(
graph @f(%a: f32[20,30], %b: f32[20,30]) -> (f32[20,30], f32[20]) {
  %1 = mul %a, %b : f32[20,30]
  %4 = reduce_sum %1 {axes = [1]} : f32[20]
  %2 = tanh %1 : f32[20,30]
  %0 = exp %a : f32[20,30]
  %3 = add %0, %2 : f32[20,30]
  return %3, %4
})");

  EXPECT_EQ(first, second);
}

TEST(Fuse, InPlaceOnlyWhereReadOnceAtItsOwnPosition) {
  const auto in_place = [](const std::string& text) {
    const auto fused = parse_and_fuse(text);
    const auto fusions = fusions_of(*fused);
    EXPECT_EQ(fusions.size(), 1U) << ir::to_string(*fused);
    // Operands and results come in an order of the pass's own; parameters tell which is meant.
    std::vector<int64_t> parameters = fusions[0]->attributes().integers("in_place");
    for (int64_t& operand : parameters) {
      if (operand < 0) continue;
      const ir::Node* read = fusions[0]->operand(static_cast<int>(operand)).node;
      operand = std::ranges::find(fused->parameters(), read) - fused->parameters().begin();
    }
    std::ranges::sort(parameters);
    return parameters;
  };
  using Ints = std::vector<int64_t>;

  EXPECT_EQ(in_place(R"(
graph @f(%a: f32[6,6] {donate}, %b: f32[6]) -> (f32[6,6]) {
  %0 = add %a, %b : f32[6,6]
  return %0
})"),
            (Ints{0}));
  EXPECT_EQ(in_place(R"(
graph @f(%a: f32[6,6] {donate}) -> (f32[6,6]) {
  %0 = permute %a {axes = [1,0]} : f32[6,6]
  %1 = add %a, %0 : f32[6,6]
  return %1
})"),
            (Ints{}));
  EXPECT_EQ(in_place(R"(
graph @f(%a: f32[6,6] {donate}, %b: f32[6,6] {donate}) -> (bool[6,6], f32[6,6]) {
  %0 = lt %a, %b : bool[6,6]
  %1 = add %a, %b : f32[6,6]
  return %0, %1
})"),
            (Ints{-1, 1}));
  EXPECT_EQ(in_place(R"(
graph @f(%a: f32[6,6], %b: f32[6,6] {donate}, %c: f32[6,6] {donate}) -> (f32[6,6], f32[6,6]) {
  %0 = add %a, %b : f32[6,6]
  %1 = add %0, %c : f32[6,6]
  return %1, %b
})"),
            (Ints{2}));
  EXPECT_EQ(in_place(R"(
graph @f(%a: f32[36] {donate}) -> (f32[6,6]) {
  %0 = reshape %a {shape = [6,6]} : f32[6,6]
  %1 = reshape %a {shape = [6,6]} : f32[6,6]
  %2 = permute %1 {axes = [1,0]} : f32[6,6]
  %3 = add %0, %2 : f32[6,6]
  return %3
})"),
            (Ints{}));
}

/// A chain, a wide fan, or a mesh with long-lived values.
std::unique_ptr<ir::Graph> large_graph(const std::string& form, int num_ops) {
  auto graph = std::make_unique<ir::Graph>(form);
  const Type type{DType::f32, {8, 8}};
  const Value x = graph->add_parameter(type, "x")->result();
  const Value w = graph->add_parameter(type, "w")->result();
  Builder b(*graph);
  std::mt19937 generator(1);
  std::vector<Value> values{x};
  for (int i = 0; i < num_ops; ++i) {
    const Value last = values.back();
    const Value any = values[generator() % values.size()];
    if (form == "chain") {
      values.push_back(b.op(OpKind::tanh, {last}));
    } else if (form == "fan") {
      values.push_back(b.op(i % 2 == 0 ? OpKind::tanh : OpKind::sin, {x}));
      graph->add_result(values.back());
    } else if (form == "layers" && i % 5 == 0) {
      values.push_back(b.op(OpKind::matmul, {last, w}));
    } else {
      values.push_back(b.op(i % 3 == 0 ? OpKind::add : OpKind::mul, {last, any}));
    }
  }
  if (form != "fan") graph->set_results({values.back()});
  return graph;
}

TEST(Fuse, WorkGrowsInStepWithTheGraph) {
  for (const std::string form : {"chain", "fan", "layers", "mesh"}) {
    auto small = large_graph(form, 2500);
    auto large = large_graph(form, 10000);

    const int64_t small_work = fuse_work(*small);
    const int64_t large_work = fuse_work(*large);

    // Four times the ops: sixteen times the work would be quadratic.
    EXPECT_LE(large_work, 10 * small_work) << form;
    EXPECT_LE(large_work, 10000 * 2048) << form;
  }
}

}  // namespace
}  // namespace wick::test
