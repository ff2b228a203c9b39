#include "support/random_graph.h"

#include <cmath>
#include <set>

#include "support/random_pipeline.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/op.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/ir/verifier.h"
#include "wick/passes/pass_manager.h"

namespace wick::testing_support {
namespace {

TEST(RandomGraph, IsSoundAndTheSameForASeed) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto graph = random_graph(seed);
    EXPECT_EQ(ir::verify(*graph), std::nullopt) << "seed " << seed;
    EXPECT_EQ(to_string(*graph), to_string(*random_graph(seed))) << "seed " << seed;
  }
}

TEST(RandomGraph, PrintsAndParsesBack) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::string text = to_string(*random_graph(seed));
    EXPECT_EQ(to_string(*ir::parse_graph(text)), text) << "seed " << seed;
  }
}

TEST(RandomGraph, CoversTheOpTable) {
  std::set<ir::OpKind> seen;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const auto graph = random_graph(seed);
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      seen.insert(node->op());
    }
  }
  for (int i = 0; i < ir::kNumOps; ++i) {
    const auto op = static_cast<ir::OpKind>(i);
    if (op == ir::OpKind::fusion || op == ir::OpKind::custom) continue;
    EXPECT_TRUE(seen.contains(op)) << to_string(op);
  }
}

TEST(RandomGraph, ComputesInEveryDType) {
  std::set<DType> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto graph = random_graph(seed);
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (ir::has(node->op(), ir::kElementwise)) seen.insert(node->type().dtype);
    }
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(kNumDTypes));
}

TEST(RandomGraph, KeepsValuesTame) {
  int64_t finite = 0;
  int64_t elements = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto graph = random_graph(seed);
    for (const Literal& result : ir::interpret(*graph, random_inputs(*graph, seed))) {
      if (!is_float(result.type().dtype)) continue;
      for (int64_t i = 0; i < result.numel(); ++i) {
        ++elements;
        if (std::abs(result.as_double(i)) < 1e4) ++finite;
      }
    }
  }
  EXPECT_GT(elements, 10'000);
  EXPECT_GT(finite, elements * 9 / 10);
}

TEST(RandomPipeline, ParsesAndPlansMemoryLast) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::string pipeline = random_pipeline(seed);
    EXPECT_EQ(pipeline, random_pipeline(seed));
    EXPECT_NO_THROW((void)passes::PassManager::parse(pipeline)) << pipeline;
    const size_t planner = pipeline.find("plan-memory");
    if (planner != std::string::npos) {
      const size_t next = pipeline.find_first_of(",{", planner);
      EXPECT_TRUE(next == std::string::npos || pipeline[next] == '{') << pipeline;
    }
    seen.insert(pipeline);
  }
  EXPECT_GT(seen.size(), 80U);
}

TEST(FirstDifference, ToleratesRoundingOnly) {
  const auto f32 = [](float value) { return Literal::scalar(DType::f32, value); };

  EXPECT_EQ(first_difference(f32(1), f32(1.0001F)), std::nullopt);
  EXPECT_EQ(first_difference(f32(1), f32(1.1F)),
            "element 0 of f32[] is 1.100000, expected 1.000000");
  EXPECT_NE(first_difference(f32(1), f32(NAN)), std::nullopt);
  EXPECT_NE(first_difference(f32(INFINITY), f32(-INFINITY)), std::nullopt);
  EXPECT_EQ(first_difference(f32(NAN), f32(NAN)), std::nullopt);
  EXPECT_NE(first_difference(Literal::scalar(DType::i32, 3), Literal::scalar(DType::i32, 4)),
            std::nullopt);
}

}  // namespace
}  // namespace wick::testing_support
