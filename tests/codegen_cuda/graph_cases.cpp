#include "graph_cases.h"

#include "codegen/run_lowered.h"
#include "support/random_graph.h"
#include <fmt/format.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"

namespace wick::codegen::cuda::test {

GraphCase from_text(const std::string& text) {
  GraphCase c;
  const auto graph = ir::parse_graph(text);
  c.name = graph->name();
  c.inputs = wick::test::random_parameters(*graph, 11);
  c.expected = ir::interpret(*graph, c.inputs);
  c.fused = wick::test::parse_and_fuse(text);
  return c;
}

GraphCase from_seed(uint64_t seed, bool special_values) {
  testing_support::RandomGraphOptions options;
  options.num_ops = 4 + static_cast<int>(seed % 13);
  options.max_elements = seed % 10 == 0 ? 4096 : 512;
  options.contractions = false;  // not what kernels compute
  GraphCase c;
  c.name = fmt::format("seed {}", seed);
  c.fused = testing_support::random_graph(seed, options);
  c.inputs = testing_support::random_inputs(*c.fused, seed, special_values);
  c.expected = ir::interpret(*c.fused, c.inputs);
  wick::test::run_pipeline(*c.fused, seed % 2 == 0 ? "fuse" : "canonicalize,cse,dce,fuse");
  return c;
}

std::string softmax(int64_t rows, int64_t columns, const std::string& dtype) {
  return fmt::format(R"(
graph @softmax_{0}_{1}_{2}(%x: {2}[{0},{1}]) -> ({2}[{0},{1}]) {{
  %0 = reduce_max %x {{axes = [1], keepdims = true}} : {2}[{0},1]
  %1 = sub %x, %0 : {2}[{0},{1}]
  %2 = exp %1 : {2}[{0},{1}]
  %3 = reduce_sum %2 {{axes = [1], keepdims = true}} : {2}[{0},1]
  %4 = div %2, %3 : {2}[{0},{1}]
  return %4
}})",
                     rows,
                     columns,
                     dtype);
}

std::string layer_norm(int64_t rows, int64_t columns) {
  return fmt::format(R"(
graph @layer_norm_{0}_{1}(%x: f32[{0},{1}], %g: f32[{1}], %b: f32[{1}], %n: f32[] {{scalar}}) -> (f32[{0},{1}]) {{
  %0 = reduce_sum %x {{axes = [1], keepdims = true}} : f32[{0},1]
  %1 = div %0, %n : f32[{0},1]
  %2 = sub %x, %1 : f32[{0},{1}]
  %3 = mul %2, %2 : f32[{0},{1}]
  %4 = reduce_sum %3 {{axes = [1], keepdims = true}} : f32[{0},1]
  %5 = sqrt %4 : f32[{0},1]
  %6 = div %2, %5 : f32[{0},{1}]
  %7 = mul %6, %g : f32[{0},{1}]
  %8 = add %7, %b : f32[{0},{1}]
  return %8
}})",
                     rows,
                     columns);
}

std::vector<std::string> layout_texts() {
  return {
      R"(
graph @softmax_of_columns(%x: f32[9,130]) -> (f32[9,130]) {
  %0 = reduce_max %x {axes = [0], keepdims = true} : f32[1,130]
  %1 = sub %x, %0 : f32[9,130]
  %2 = exp %1 : f32[9,130]
  %3 = reduce_sum %2 {axes = [0], keepdims = true} : f32[1,130]
  %4 = div %2, %3 : f32[9,130]
  return %4
})",
      R"(
graph @sum_of_all(%x: f32[300000]) -> (f32[], f32[300000]) {
  %0 = tanh %x : f32[300000]
  %1 = reduce_sum %0 {axes = [0]} : f32[]
  return %1, %0
})",
      R"(
graph @batch_norm(%x: f32[2,3,50,16], %n: f32[] {scalar}) -> (f32[2,3,50,16], f32[3,16]) {
  %0 = reduce_sum %x {axes = [0,2], keepdims = true} : f32[1,3,1,16]
  %1 = div %0, %n : f32[1,3,1,16]
  %2 = sub %x, %1 : f32[2,3,50,16]
  %3 = mul %2, %2 : f32[2,3,50,16]
  %4 = reduce_sum %3 {axes = [0,2]} : f32[3,16]
  return %2, %4
})",
      R"(
graph @rows_as_one(%x: f32[101,7], %c: f16[7], %r: f32[101,1]) -> (f32[101,7]) {
  %0 = cast %c {dtype = f32} : f32[7]
  %1 = mul %x, %0 : f32[101,7]
  %2 = add %1, %r : f32[101,7]
  return %2
})",
      R"(
graph @blocks(%x: f32[70,4,5], %c: f32[4]) -> (f32[70,5,4], i64[70,5,4]) {
  %0 = permute %x {axes = [0,2,1]} : f32[70,5,4]
  %1 = add %0, %c : f32[70,5,4]
  %2 = cast %1 {dtype = i64} : i64[70,5,4]
  %3 = iota {axis = 1, dtype = i64, shape = [70,5,4]} : i64[70,5,4]
  %4 = add %2, %3 : i64[70,5,4]
  return %1, %4
})",
      R"(
graph @mirrored_blocks(%x: f32[70,4,5]) -> (f32[70,5,4]) {
  %0 = slice %x {sizes = [70,4,5], starts = [0,3,0], steps = [1,-1,1]} : f32[70,4,5]
  %1 = permute %0 {axes = [0,2,1]} : f32[70,5,4]
  %2 = neg %1 : f32[70,5,4]
  return %2
})",
      R"(
graph @mirrored_axes_of_one(%x: f32[70,4,1], %y: f32[70,1,4]) -> (f32[70,4,4]) {
  %0 = slice %x {sizes = [70,4,1], starts = [0,3,0], steps = [1,-1,1]} : f32[70,4,1]
  %1 = mul %0, %y : f32[70,4,4]
  return %1
})",
      R"(
graph @stacked(%x: f32[70,1], %y: f32[70,2]) -> (f32[70,4]) {
  %0 = neg %x : f32[70,1]
  %1 = concat %y, %0, %x {axis = 1} : f32[70,4]
  return %1
})",
      R"(
graph @few_elements(%x: f32[70,3], %y: f32[70,3]) -> (f32[70], f32[70]) {
  %0 = mul %x, %y : f32[70,3]
  %1 = reduce_sum %0 {axes = [1]} : f32[70]
  %2 = reduce_max %x {axes = [1]} : f32[70]
  return %1, %2
})",
      R"(
graph @transposed(%x: f32[70,45], %y: f32[45,70]) -> (f32[45,70]) {
  %0 = permute %x {axes = [1,0]} : f32[45,70]
  %1 = add %0, %y : f32[45,70]
  return %1
})",
      R"(
graph @transposed_in_batches(%x: f32[3,33,64], %y: f16[64,3,33], %z: f32[33]) -> (f32[3,64,33]) {
  %0 = permute %x {axes = [0,2,1]} : f32[3,64,33]
  %1 = permute %y {axes = [1,0,2]} : f16[3,64,33]
  %2 = cast %1 {dtype = f32} : f32[3,64,33]
  %3 = mul %0, %2 : f32[3,64,33]
  %4 = add %3, %z : f32[3,64,33]
  return %4
})"};
}

}  // namespace wick::codegen::cuda::test
