#include <algorithm>
#include <string>

#include "edits.h"
#include "extract.h"
#include "measure.h"
#include "reducer.h"
#include "resize.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/verifier.h"

namespace wick::reduce {
namespace {

/// Ops of this kind, those in fusions included.
int64_t count(const ir::Graph& graph, ir::OpKind op) {
  int64_t found = 0;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op() == op) ++found;
    if (node->body() != nullptr) found += count(*node->body(), op);
  }
  return found;
}

std::vector<ir::Node*> nodes_named(const ir::Graph& graph, const std::vector<std::string>& names) {
  std::vector<ir::Node*> nodes;
  for (ir::Node* node : graph.nodes()) {
    if (std::ranges::find(names, node->name()) != names.end()) nodes.push_back(node);
  }
  return nodes;
}

std::string reduced(std::string_view text, const std::function<bool(const ir::Graph&)>& property) {
  auto graph = ir::parse_graph(text);
  EXPECT_TRUE(property(*graph)) << "should hold to begin with";
  const auto checked = [&](const ir::Graph& candidate) {
    EXPECT_EQ(ir::verify(candidate), std::nullopt);
    return property(candidate);
  };
  Reducer reducer(std::move(graph), one_by_one(checked), {});
  return ir::to_string(reducer.run(), {.locations = true});
}

TEST(Extract, CutsWithParametersAndResultsAtTheBorders) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4], %y: f32[4]) -> (f32[4]) {
  %a = exp %x : f32[4]
  %two = constant {value = dense<f32[]: 2>} : f32[]
  %b = mul %a, %two : f32[4] loc("net.h":3:4)
  %c = add %b, %a : f32[4]
  %d = sub %c, %b : f32[4]
  return %d
})");

  const Part part = extract(*graph, nodes_named(*graph, {"b", "c"}));

  EXPECT_EQ(ir::to_string(*part.graph, {.locations = true}),
            R"(graph @f(%a: f32[4]) -> (f32[4], f32[4]) {
  %two = constant {value = dense<f32[]: 2>} : f32[]
  %b = mul %a, %two : f32[4] loc("net.h":3:4)
  %c = add %b, %a : f32[4]
  return %b, %c
}
)");
  ASSERT_EQ(part.inputs.size(), 1U);
  EXPECT_EQ(part.inputs[0].node->op(), ir::OpKind::exp);
  ASSERT_EQ(part.outputs.size(), 2U);
}

TEST(InlineFusions, PutsTheBodyInItsPlace) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4]) -> (f32[4], f32[4]) {
  %0, %1 = fusion<map> @k(%x) {
    ^(%a: f32[4]):
    %e = exp %a : f32[4]
    %n = neg %e : f32[4]
    yield %n, %e
  } : (f32[4], f32[4])
  %2 = tanh %1 : f32[4]
  return %0, %2
})");

  const auto inlined = inline_fusions(*graph).at(0)();

  EXPECT_EQ(ir::verify(*inlined), std::nullopt);
  EXPECT_EQ(ir::to_string(*inlined), R"(graph @f(%x: f32[4]) -> (f32[4], f32[4]) {
  %e = exp %x : f32[4]
  %n = neg %e : f32[4]
  %0 = tanh %e : f32[4]
  return %n, %0
}
)");
}

TEST(Resized, FollowsAnExtentThroughTheProgram) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[8,3,6,6], %w: f32[5,3,3,3], %v: f32[180,2]) -> (f32[8,2], f32[8,3,6,6]) {
  %c = conv %x, %w {padding = [1, 1]} : f32[8,5,6,6]
  %flat = reshape %c {shape = [8, 180]} : f32[8,180]
  %y = matmul %flat, %v : f32[8,2]
  %g = conv_input_grad %c, %w {input_shape = [8, 3, 6, 6], padding = [1, 1]} : f32[8,3,6,6]
  return %y, %g
})");

  const auto batch = resized(*graph, 8, 2);
  const auto features = resized(*graph, 180, 90);

  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(ir::verify(*batch), std::nullopt);
  EXPECT_EQ(to_string(batch->results()[0].type()), "f32[2,2]");
  EXPECT_EQ(to_string(batch->results()[1].type()), "f32[2,3,6,6]");
  EXPECT_EQ(features, nullptr);  // 180 is what flattening gives
}

TEST(Resized, LooksUpWhatAShapeHasBecome) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[2,1,8,8], %w: f32[1,1,3,3]) -> (f32[2,1,4,4]) {
  %p = max_pool2d %x {kernel = [2, 2]} : f32[2,1,4,4]
  %c = conv %p, %w {padding = [1, 1]} : f32[2,1,4,4]
  %g = conv_input_grad %c, %w {input_shape = [2, 1, 4, 4], padding = [1, 1]} : f32[2,1,4,4]
  return %g
})");

  const auto smaller = resized(*graph, 8, 6);

  ASSERT_NE(smaller, nullptr);
  EXPECT_EQ(to_string(smaller->results()[0].type()), "f32[2,1,3,3]");
}

TEST(Resized, CropsConstants) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[2,3]) -> (f32[2,3]) {
  %c = constant {value = dense<f32[2,3]: 1, 2, 3, 4, 5, 6>} : f32[2,3]
  %y = add %x, %c : f32[2,3]
  return %y
})");

  const auto smaller = resized(*graph, 3, 2);

  ASSERT_NE(smaller, nullptr);
  EXPECT_NE(ir::to_string(*smaller).find("dense<f32[2,2]: 1, 2, 4, 5>"), std::string::npos)
      << ir::to_string(*smaller);
}

TEST(Reducer, LeavesTheOpThatThePropertyNeeds) {
  const std::string text =
      reduced(R"(
graph @f(%x: f32[8,4], %w: f32[4,4], %b: f32[4]) -> (f32[8,4], f32[]) {
  %h = matmul %x, %w : f32[8,4]
  %s = add %h, %b : f32[8,4]
  %t = tanh %s : f32[8,4] loc("net.h":7:1)
  %u = exp %t : f32[8,4]
  %l = reduce_sum %u {axes = [0, 1]} : f32[]
  return %u, %l
})",
              [](const ir::Graph& graph) { return count(graph, ir::OpKind::tanh) > 0; });

  EXPECT_EQ(text, R"(graph @f(%s: f32[1,1]) -> (f32[1,1]) {
  %t = tanh %s : f32[1,1] loc("net.h":7:1)
  return %t
}
)");
}

TEST(Reducer, KeepsAPairAndWhatLiesBetween) {
  const auto exp_feeds_log = [](const ir::Graph& graph) {
    for (const ir::Node* node : graph.nodes()) {
      if (node->op() == ir::OpKind::log && node->operand(0).node->op() == ir::OpKind::exp)
        return true;
    }
    return false;
  };

  const std::string text = reduced(R"(
graph @f(%x: f32[8]) -> (f32[8]) {
  %0 = neg %x : f32[8]
  %1 = exp %0 : f32[8]
  %2 = abs %1 : f32[8]
  %3 = log %1 : f32[8]
  %4 = sub %3, %2 : f32[8]
  return %4
})",
                                   exp_feeds_log);

  EXPECT_EQ(text, R"(graph @f(%v1: f32[1]) -> (f32[1]) {
  %0 = exp %v1 : f32[1]
  %1 = log %0 : f32[1]
  return %1
}
)");
}

TEST(Reducer, ShrinksABodyThatCannotBeInlined) {
  const auto fused_tanh = [](const ir::Graph& graph) {
    return count(graph, ir::OpKind::fusion) > 0 && count(graph, ir::OpKind::tanh) > 0;
  };

  const std::string text = reduced(R"(
graph @f(%x: f32[8]) -> (f32[8], f32[8]) {
  %0, %1 = fusion<map> @k(%x) {
    ^(%a: f32[8]):
    %e = exp %a : f32[8]
    %t = tanh %e : f32[8]
    %n = neg %t : f32[8]
    yield %n, %e
  } : (f32[8], f32[8])
  return %0, %1
})",
                                   fused_tanh);

  EXPECT_EQ(text, R"(graph @f(%e: f32[1]) -> (f32[1]) {
  %0 = fusion @k(%e) {
    ^(%e_1: f32[1]):
    %t = tanh %e_1 : f32[1]
    yield %t
  } : f32[1]
  return %0
}
)");
}

TEST(Reducer, GivesTheSameGraphWhateverTheBatch) {
  const std::string_view text = R"(
graph @f(%x: f32[8], %y: f32[8]) -> (f32[8], f32[8]) {
  %0 = add %x, %y : f32[8]
  %1 = tanh %0 : f32[8]
  %2 = tanh %1 : f32[8]
  %3 = mul %2, %y : f32[8]
  return %3, %1
})";
  const auto two_tanh = [](const ir::Graph& graph) { return count(graph, ir::OpKind::tanh) == 2; };
  std::string first;
  for (const size_t batch : {1, 2, 7}) {
    Reducer reducer(ir::parse_graph(text),
                    one_by_one(two_tanh),
                    {.batch = batch, .on_smaller = {}, .on_progress = {}});
    const std::string result = ir::to_string(reducer.run());
    if (first.empty()) first = result;
    EXPECT_EQ(result, first) << "batch " << batch;
  }
}

TEST(Reducer, NeverShowsTheSameGraphTwice) {
  std::vector<std::string> shown;
  const auto property = [&](const ir::Graph& graph) {
    shown.push_back(ir::to_string(graph));
    return count(graph, ir::OpKind::exp) == 2;
  };
  Reducer reducer(ir::parse_graph(R"(
graph @f(%x: f32[4]) -> (f32[4]) {
  %0 = exp %x : f32[4]
  %1 = neg %0 : f32[4]
  %2 = exp %1 : f32[4]
  return %2
})"),
                  one_by_one(property),
                  {});

  reducer.run();

  const auto tried = static_cast<int64_t>(shown.size());
  EXPECT_EQ(reducer.num_tried(), tried);
  std::ranges::sort(shown);
  EXPECT_EQ(std::ranges::adjacent_find(shown), shown.end());
}

}  // namespace
}  // namespace wick::reduce
