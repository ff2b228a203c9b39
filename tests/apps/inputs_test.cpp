#include "inputs.h"

#include <algorithm>
#include <string>

#include "value_domain.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"

namespace wick::run {
namespace {

std::string message_of(std::string_view graph, const InputFlags& flags) {
  try {
    make_inputs(*ir::parse_graph(graph), flags);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

constexpr std::string_view kStep = R"(
graph @step(%x: f32[2,3], %labels: i32[2], %lr: f32[] {scalar}, %n: i64[]) -> (f32[2,3]) {
  %0 = mul %x, %lr : f32[2,3]
  return %0
})";

TEST(Inputs, DependOnTheSeedAndTheNameAlone) {
  const auto graph = ir::parse_graph("graph @f(%x: f32[9], %y: f32[9]) -> () { return }");
  const auto swapped = ir::parse_graph("graph @f(%y: f32[9], %x: f32[9]) -> () { return }");

  const auto values = make_inputs(*graph, {});
  const auto others = make_inputs(*swapped, {});

  EXPECT_EQ(values[0], others[1]);
  EXPECT_EQ(values[1], others[0]);
  EXPECT_NE(values[0], values[1]);
  EXPECT_NE(values[0], make_inputs(*graph, {.files = {}, .named = {}, .rest = "random:1"})[0]);
}

TEST(Inputs, AreInTheRangesOfTheirDtypes) {
  const auto graph = ir::parse_graph(
      "graph @f(%x: f32[500], %i: i32[500], %b: bool[500], %s: f32[] {scalar}) -> () { return }");

  const auto values = make_inputs(*graph, {});

  const auto floats = values[0].values<float>();
  EXPECT_LT(std::ranges::min(floats), -0.9F);
  EXPECT_GT(std::ranges::max(floats), 0.9F);
  EXPECT_TRUE(std::ranges::all_of(floats, [](float x) { return x >= -1 && x < 1; }));
  const auto integers = values[1].values<int32_t>();
  EXPECT_EQ(std::ranges::min(integers), 0);
  EXPECT_EQ(std::ranges::max(integers), 9);
  EXPECT_NEAR(std::ranges::count(values[2].values<bool>(), true), 250, 50);
  EXPECT_GT(values[3].as_double(0), 0);
}

TEST(Inputs, TakeNumbersForScalars) {
  const auto values = make_inputs(*ir::parse_graph(kStep),
                                  {.files = {}, .named = {"lr=0.125", "%n=7"}, .rest = "random:0"});

  EXPECT_EQ(values[2].as_double(0), 0.125);
  EXPECT_EQ(values[3].as_integer(0), 7);
}

TEST(Inputs, SayWhatDoesNotFit) {
  EXPECT_EQ(message_of(kStep, {.files = {}, .named = {"label=1"}, .rest = "random:0"}),
            "no parameter %label in @step, did you mean %labels?");
  EXPECT_EQ(message_of(kStep, {.files = {}, .named = {"x=1"}, .rest = "random:0"}),
            "parameter %x is f32[2,3], 1 is f32[]");
  EXPECT_EQ(message_of(kStep, {.files = {}, .named = {"lr=1", "lr=2"}, .rest = "random:0"}),
            "parameter %lr is given twice, by 2");
  EXPECT_EQ(message_of(kStep, {.files = {}, .named = {"lr"}, .rest = "random:0"}),
            "--input: expected NAME=FILE.npy or NAME=NUMBER, got 'lr'");
  EXPECT_EQ(message_of(kStep, {.files = {}, .named = {}, .rest = "zeros"}),
            "--inputs: expected random:SEED, got 'zeros'");
  EXPECT_EQ(
      message_of(kStep, {.files = {"a", "b", "c", "d", "e"}, .named = {}, .rest = "random:0"}),
      "5 input files for the 4 parameters of @step");
}

TEST(ValueDomain, IndicesStayWithinWhatTheyIndex) {
  const auto graph = ir::parse_graph(R"(
graph @f(%table: f32[50,8], %ids: i64[4], %labels: i32[4]) -> (f32[4,8], bool[4,5]) {
  %flat = reshape %ids {shape = [4]} : i64[4]
  %rows = gather %table, %flat {axis = 0} : f32[4,8]
  %wide = cast %labels {dtype = i64} : i64[4]
  %column = reshape %wide {shape = [4, 1]} : i64[4,1]
  %classes = iota {axis = 0, dtype = i64, shape = [5]} : i64[5]
  %hot = eq %column, %classes : bool[4,5]
  return %rows, %hot
})");

  EXPECT_EQ(domain_of(*graph->parameters()[1]).below, 50);
  EXPECT_EQ(domain_of(*graph->parameters()[2]).below, 5);
}

TEST(ValueDomain, WhatHasASquareRootIsPositive) {
  const auto graph = ir::parse_graph(R"(
graph @adam(%v: f32[4], %g: f32[4], %eps: f32[] {scalar}) -> (f32[4]) {
  %0 = mul %v, %eps : f32[4]
  %1 = mul %g, %g : f32[4]
  %2 = add %0, %1 : f32[4]
  %3 = sqrt %2 : f32[4]
  return %3
})");

  EXPECT_TRUE(domain_of(*graph->parameters()[0]).positive);
  EXPECT_FALSE(domain_of(*graph->parameters()[1]).positive);
}

}  // namespace
}  // namespace wick::run
