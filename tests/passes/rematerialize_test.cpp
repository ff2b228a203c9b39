#include "wick/passes/rematerialize.h"

#include <random>

#include "run_passes.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/plan_memory.h"

namespace wick::passes {
namespace {

using ir::OpKind;
using ir::Value;

/// Products, which kernels cannot hold, of values that kernels make, some of them seen in another
/// shape. Late ops read early values.
std::unique_ptr<ir::Graph> random_products(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  auto graph = std::make_unique<ir::Graph>();
  const Type type{DType::f32, {8, 8}};
  std::vector<Value> values;
  for (int i = 0; i < 2; ++i)
    values.push_back(graph->add_parameter(type)->result());
  const auto pick = [&] {
    const size_t recent = std::min<size_t>(values.size(), 3);
    return below(4) == 0 ? values[below(values.size())] : values[values.size() - 1 - below(recent)];
  };
  const auto add = [&](OpKind op, std::vector<Value> operands, ir::Attributes attributes = {}) {
    return graph->add(op, std::move(operands), std::move(attributes))->result();
  };
  const auto seen_as = [&](Value value, std::vector<int64_t> shape) {
    ir::Attributes attributes;
    attributes.set("shape", std::move(shape));
    return add(OpKind::reshape, {value}, std::move(attributes));
  };
  for (int i = 0; i < 48; ++i) {
    switch (below(5)) {
      case 0:
        values.push_back(add(OpKind::abs, {pick()}));
        break;
      case 1:
        values.push_back(add(OpKind::sub, {pick(), pick()}));
        break;
      case 2:
        values.push_back(seen_as(seen_as(pick(), {4, 16}), {8, 8}));
        break;
      default: {
        // Bounded, so that sums in another order stay close.
        const Value product = add(OpKind::matmul, {pick(), pick()});
        values.push_back(add(OpKind::tanh, {product}));
        values.push_back(product);
      }
    }
  }
  graph->set_results({values.back(), add(OpKind::matmul, {pick(), pick()})});
  return graph;
}

int64_t count_products(const ir::Graph& graph) {
  int64_t count = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next())
    count += node->op() == OpKind::matmul ? 1 : 0;
  return count;
}

TEST(Rematerialize, KeepsTheMeaningAndLowersPeaks) {
  int lower = 0;
  int multiplied_again = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const auto graph = random_products(seed);
    const std::vector<Literal> inputs = testing_support::random_inputs(*graph, seed);
    run_passes(*graph, "dce,fuse,plan-memory");
    const std::vector<Literal> expected = ir::interpret(*graph, inputs);
    const size_t kept = memory_plan_of(*graph).peak_live_bytes;
    const std::string before = to_string(*graph);

    const int64_t products = count_products(*graph);
    run_passes(*graph, "rematerialize{min-bytes=1,max-moved=50,max-with-product=500},plan-memory");
    multiplied_again += count_products(*graph) > products ? 1 : 0;

    ASSERT_EQ(verify_memory_plan(*graph), std::nullopt) << "seed " << seed << "\n"
                                                        << to_string(*graph);
    const size_t computed_again = memory_plan_of(*graph).peak_live_bytes;
    ASSERT_LE(computed_again, kept) << before << "\nbecame\n" << to_string(*graph);
    lower += computed_again < kept ? 1 : 0;
    const std::vector<Literal> actual = ir::interpret(*graph, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(testing_support::first_difference(expected[i], actual[i]), std::nullopt)
          << before << "\nbecame\n"
          << to_string(*graph);
    }
  }
  EXPECT_GT(lower, 30);
  EXPECT_GT(multiplied_again, 15);
}

}  // namespace
}  // namespace wick::passes
