// The op table is small and says everything once. What an op computes is found out by computing.

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/op.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::ir {
namespace {

std::vector<std::string> primitives() {
  std::vector<std::string> names;
  for (int i = 0; i < kNumOps; ++i) {
    const OpInfo& info = op_info(static_cast<OpKind>(i));
    if ((info.traits & kStructure) == 0) names.emplace_back(info.name);
  }
  return names;
}

/// Names of the primitives that compute `result` in a graph whose text has OP in place of a name;
/// those that do not fit there compute nothing.
std::vector<std::string> that_compute(std::string_view result, std::string_view graph) {
  std::vector<std::string> names;
  for (const std::string& name : primitives()) {
    std::string text(graph);
    text.replace(text.find("OP"), 2, name);
    try {
      const AttributeValue value = interpret(*parse_graph(text), {}).front();
      if (to_string(value) == result) names.push_back(name);
    } catch (const std::exception&) {
      continue;
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(OpTable, HasAtMostSixtyPrimitives) {
  EXPECT_LE(primitives().size(), 60U);
}

TEST(OpTable, HasOneAddition) {
  EXPECT_EQ(that_compute("dense<f32[3]: 6, -1.5, 0>",
                         R"(graph @main() -> (f32[3]) {
                              %a = constant {value = dense<f32[3]: 2, 1, -7>} : f32[3]
                              %b = constant {value = dense<f32[3]: 4, -2.5, 7>} : f32[3]
                              %r = OP %a, %b : f32[3]
                              return %r
                            })"),
            Names{"add"});
}

TEST(OpTable, HasOneSum) {
  EXPECT_EQ(that_compute("dense<f32[]: 8.5>",
                         R"(graph @main() -> (f32[]) {
                              %a = constant {value = dense<f32[4]: 2, 4, -0.5, 3>} : f32[4]
                              %r = OP %a {axes = [0]} : f32[]
                              return %r
                            })"),
            Names{"reduce_sum"});
}

TEST(OpTable, HasOneConvolution) {
  EXPECT_EQ(that_compute("dense<f32[1,1,1,2]: 1020, 2010>",
                         R"(graph @main() -> (f32[1,1,1,2]) {
                              %x = constant {value = dense<f32[1,1,2,3]: 1, 2, 0, 2, 1, 2>} : f32[1,1,2,3]
                              %w = constant {value = dense<f32[1,1,2,2]: 1000, 0, 10, 0>} : f32[1,1,2,2]
                              %r = OP %x, %w : f32[1,1,1,2]
                              return %r
                            })"),
            Names{"conv"});
}

}  // namespace
}  // namespace wick::ir
