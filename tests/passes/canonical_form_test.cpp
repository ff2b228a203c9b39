#include "wick/passes/canonical_form.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/canonicalize_rules.h"

namespace wick::passes {
namespace {

std::string canonical(std::string_view text) {
  std::string canonical = to_string(*canonical_copy(*ir::parse_graph(text)).graph);
  return canonical.substr(canonical.find(" {"));  // names of parameters are the caller's
}

/// Written branch by branch, in turns, and in turns with the other one first.
TEST(CanonicalForm, KeepsTheOpsOfAlikeBranchesTogether) {
  constexpr std::string_view kHead = "graph @g(%x: f32[8], %y: f32[8], %g: f32[8]) -> (f32[8]) {\n";
  const std::vector<std::string> one = {"  %a = exp %x : f32[8]\n",
                                        "  %b = sub %a, %x : f32[8]\n",
                                        "  %c = mul %a, %g : f32[8]\n",
                                        "  %d = div %b, %c : f32[8]\n"};
  const std::vector<std::string> other = {"  %e = exp %y : f32[8]\n",
                                          "  %f = sub %e, %y : f32[8]\n",
                                          "  %h = mul %e, %g : f32[8]\n",
                                          "  %i = div %f, %h : f32[8]\n"};
  std::string apart(kHead);
  std::string in_turns(kHead);
  std::string reversed(kHead);
  for (const std::string& line : one)
    apart += line;
  for (const std::string& line : other)
    apart += line;
  for (size_t i = 0; i < one.size(); ++i) {
    in_turns += one[i] + other[i];
    reversed += i % 2 == 0 ? other[i] + one[i] : one[i] + other[i];
  }
  const std::string end = "  %s = add %d, %i : f32[8]\n  return %s\n}\n";

  EXPECT_EQ(canonical(in_turns + end), canonical(apart + end));
  EXPECT_EQ(canonical(reversed + end), canonical(apart + end));
}

/// Over enough ops that hashes fall both ways.
constexpr const char* kOps[] = {"exp", "tanh", "sin", "cos", "erf", "neg", "sqrt", "log", "abs"};

/// What is done with each element is one kernel for matrices and for volumes.
TEST(CanonicalForm, OrdersOperandsInOneWayForEveryRank) {
  for (const char* op : kOps) {
    std::set<std::vector<int>> orders;
    for (const char* shape : {"8", "8,9", "8,9,7", "8,9,7,5", "8,9,7,5,3"}) {
      const auto graph = ir::parse_graph(fmt::format(R"(
graph @g(%x: f32[{0}], %a: f32[] {{scalar}}, %b: f32[] {{scalar}}) -> (f32[{0}]) {{
  %0 = {1} %x : f32[{0}]
  %1 = mul %0, %a : f32[{0}]
  %2 = add %1, %b : f32[{0}]
  return %2
}}
)",
                                                     shape,
                                                     op));
      orders.insert(canonical_copy(*graph).parameters);
    }
    EXPECT_EQ(orders.size(), 1) << op;
  }
}

/// Else each layer of a network would be a kernel of its own.
TEST(CanonicalForm, IsNotChangedByWhatIsFar) {
  std::set<std::vector<std::string>> orders;
  for (const char* before : kOps) {
    for (const char* behind : kOps) {
      const auto graph = ir::parse_graph(fmt::format(R"(
graph @g(%x: f32[8], %y: f32[8]) -> (f32[8]) {{
  %far = {} %x : f32[8]
  %p = floor %far : f32[8]
  %q = floor %p : f32[8]
  %a = floor %q : f32[8]
  %b = exp %a : f32[8]
  %c = tanh %a : f32[8]
  %sum = add %b, %c : f32[8]
  %product = mul %sum, %a : f32[8]
  %r = floor %product : f32[8]
  %s = floor %r : f32[8]
  %t = floor %s : f32[8]
  %end = {} %t : f32[8]
  return %end
}}
)",
                                                     before,
                                                     behind));
      order_commutative_operands(*graph);
      std::vector<std::string> operands;
      for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
        if (ir::has(node->op(), ir::kCommutative))
          operands.push_back(node->operand(0).node->name());
      }
      orders.insert(operands);
    }
  }
  EXPECT_EQ(orders.size(), 1);
}

}  // namespace
}  // namespace wick::passes
