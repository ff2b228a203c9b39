// What the layout pass makes of a network computes the same.

#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

using testing_support::first_difference;
using testing_support::random_inputs;

constexpr std::string_view kNetwork = R"(
graph @network(%x: f32[2,3,6,5], %v: f32[16,3,3,3], %b: f32[16], %w: f32[16,16,3,3], %g: f32[2,16,3,2], %d: f32[16,1,3,3], %h: f32[6,5]) -> (f32[2,16,3,2], f32[16], f32[2,16,6,5], f32[16,3,3,3], f32[16,16,3,3], f32[2,16], f32[2,1,6,5], f32[2,16,6], f32[16,1,3,3], f32[2,16,3,2]) {
  %0 = conv %x, %v {padding = [1, 1]} : f32[2,16,6,5]
  %1 = reshape %b {shape = [16, 1, 1]} : f32[16,1,1]
  %2 = add %0, %1 : f32[2,16,6,5]
  %3 = reduce_sum %2 {axes = [0, 2, 3], keepdims = true} : f32[1,16,1,1]
  %4 = sub %2, %3 : f32[2,16,6,5]
  %5 = mul %4, %h : f32[2,16,6,5]
  %6 = conv %5, %w {padding = [1, 1]} : f32[2,16,6,5]
  %7 = broadcast %3 {shape = [2, 16, 6, 5]} : f32[2,16,6,5]
  %8 = mul %6, %7 : f32[2,16,6,5]
  %9 = conv %8, %d {groups = 16, padding = [1, 1]} : f32[2,16,6,5]
  %pool = max_pool2d %9 {kernel = [2, 2]} : f32[2,16,3,2]
  %e = max_pool2d %9 {argmax = true, kernel = [2, 2]} : u8[2,16,3,2]
  %10 = max_pool2d_grad %e, %g {input_shape = [2, 16, 6, 5], kernel = [2, 2]} : f32[2,16,6,5]
  %11 = conv_input_grad %10, %d {groups = 16, input_shape = [2, 16, 6, 5], padding = [1, 1]} : f32[2,16,6,5]
  %12 = conv_weight_grad %8, %10 {groups = 16, padding = [1, 1], weight_shape = [16, 1, 3, 3]} : f32[16,1,3,3]
  %13 = conv_input_grad %11, %w {input_shape = [2, 16, 6, 5], padding = [1, 1]} : f32[2,16,6,5]
  %14 = conv_weight_grad %5, %11 {padding = [1, 1], weight_shape = [16, 16, 3, 3]} : f32[16,16,3,3]
  %15 = conv_weight_grad %x, %13 {padding = [1, 1], weight_shape = [16, 3, 3, 3]} : f32[16,3,3,3]
  %16 = reduce_sum %13 {axes = [0, 2, 3]} : f32[16]
  %17 = reduce_max %6 {axes = [2, 3]} : f32[2,16]
  %18 = reduce_sum %8 {axes = [1], keepdims = true} : f32[2,1,6,5]
  %19 = reduce_sum %8 {axes = [3]} : f32[2,16,6]
  %20 = avg_pool2d %9 {kernel = [2, 2]} : f32[2,16,3,2]
  return %pool, %16, %13, %15, %14, %17, %18, %19, %12, %20
})";

/// Joined, cut, padded and resampled; the last four by what is no whole block, or across blocks.
constexpr std::string_view kMovedImages = R"(
graph @moved(%x: f32[2,16,6,5], %u: f32[2,16,6,5], %w: f32[16,16,3,3], %v: f32[16,48,3,3]) -> (f32[2,16,6,5], f32[2,48,6,5], f32[2,16,3,5], f32[2,32,6,7], f32[2,16,6,7], f32[2,16,6,5], f32[2,16,30], f32[2,16,2,5], f32[2,16,6,5], f32[2,32,6,5], f32[2,17,6,5], f32[2,480,1,1]) {
  %i = constant {value = dense<i64[7]: 0, 4, 2, 2, 1, 3, 0>} : i64[7]
  %zero = constant {value = dense<f32[]: 0>} : f32[]
  %0 = conv %x, %w {padding = [1, 1]} : f32[2,16,6,5]
  %1 = conv %u, %w {padding = [1, 1]} : f32[2,16,6,5]
  %2 = concat %0, %u, %1 {axis = 1} : f32[2,48,6,5]
  %3 = conv %2, %v {padding = [1, 1]} : f32[2,16,6,5]
  %4 = slice %2 {sizes = [2, 16, 3, 5], starts = [0, 32, 1, 0], steps = [1, 1, 2, 1]} : f32[2,16,3,5]
  %5 = pad %3, %zero {high = [0, 16, 0, 1], low = [0, 0, 0, 1]} : f32[2,32,6,7]
  %6 = gather %3, %i {axis = 3} : f32[2,16,6,7]
  %7 = scatter %3, %i, %6 {axis = 3, mode = "add"} : f32[2,16,6,5]
  %8 = reshape %3 {shape = [2, 16, 30]} : f32[2,16,30]
  %9 = pad %3, %zero {high = [0, 0, -2, 0], low = [0, 0, -2, 0]} : f32[2,16,2,5]
  %10 = slice %2 {sizes = [2, 16, 6, 5], starts = [0, 4, 0, 0]} : f32[2,16,6,5]
  %11 = pad %3, %zero {high = [0, 12, 0, 0], low = [0, 4, 0, 0]} : f32[2,32,6,5]
  %12 = pad %3, %zero {high = [0, 1, 0, 0]} : f32[2,17,6,5]
  %13 = reshape %3 {shape = [2, 480, 1, 1]} : f32[2,480,1,1]
  return %3, %2, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13
})";

/// Counts the ops that work on blocks.
void check_meaning(std::string_view text, int64_t blocked) {
  for (const std::string pipeline :
       {"layout{block=8}", "layout{block=16}", "layout,canonicalize"}) {
    const auto graph = ir::parse_graph(text);
    const std::vector<Literal> inputs = random_inputs(*graph, 7, /*special_values=*/false);
    const std::vector<Literal> expected = ir::interpret(*graph, inputs);
    PassManager manager = PassManager::parse(pipeline);
    manager.set_verify_each(true);
    PassContext context;

    manager.run(*graph, context);

    EXPECT_EQ(context.statistics().at("layout.blocked"), blocked) << pipeline;
    const std::vector<Literal> actual = ir::interpret(*graph, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(first_difference(expected[i], actual[i]), std::nullopt)
          << "result " << i << " of " << pipeline << "\n"
          << to_string(*graph);
    }
  }
}

TEST(Layout, KeepsTheMeaningOfANetwork) {
  check_meaning(kNetwork, 22);
}

TEST(Layout, KeepsTheMeaningOfMovedImages) {
  check_meaning(kMovedImages, 10);
}

}  // namespace
}  // namespace wick::passes
