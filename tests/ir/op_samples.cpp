#include "op_samples.h"

#include "support/sample_ops.h"
#include <fmt/format.h>

namespace wick::ir {
namespace {

struct Sample {
  OpKind op;
  std::string_view parameters;
  std::string_view operands_and_attributes;
  std::string_view type;
};

constexpr Sample kSamples[] = {
    {OpKind::logical_not, "%x: bool[3]", "%x", "bool[3]"},
    {OpKind::cast, "%x: f32[3]", "%x {dtype = i64}", "i64[3]"},
    {OpKind::bitcast, "%x: f32[3]", "%x {dtype = i32}", "i32[3]"},
    {OpKind::where, "%c: bool[3], %x: f32[2,3], %y: f32[]", "%c, %x, %y", "f32[2,3]"},
    {OpKind::argmax, "%x: f32[2,3]", "%x {axes = [0, 1]}", "i64[]"},
    {OpKind::broadcast, "%x: f32[2,1]", "%x {shape = [4, 2, 3]}", "f32[4,2,3]"},
    {OpKind::reshape, "%x: f32[2,3]", "%x {shape = [6]}", "f32[6]"},
    {OpKind::permute, "%x: f32[2,3]", "%x {axes = [1, 0]}", "f32[3,2]"},
    {OpKind::slice,
     "%x: f32[2,3]",
     "%x {sizes = [1, 2], starts = [1, 2], steps = [1, -2]}",
     "f32[1,2]"},
    {OpKind::concat, "%x: f32[2,3], %y: f32[2,1]", "%x, %y {axis = 1}", "f32[2,4]"},
    {OpKind::pad,
     "%x: f32[2,3], %v: f32[]",
     "%x, %v {high = [0, -1], interior = [1, 0], low = [2, 0]}",
     "f32[5,2]"},
    {OpKind::gather, "%x: f32[5,3], %i: i64[2,2]", "%x, %i {axis = 0}", "f32[2,2,3]"},
    {OpKind::gather, "%x: f32[5,3], %i: i32[5,2]", "%x, %i {along = true, axis = 1}", "f32[5,2]"},
    {OpKind::scatter,
     "%x: f32[5,3], %i: i32[2], %u: f32[5,2]",
     "%x, %i, %u {axis = 1}",
     "f32[5,3]"},
    {OpKind::scatter,
     "%x: f32[5,3], %i: i32[5,2], %u: f32[5,2]",
     "%x, %i, %u {along = true, axis = 1}",
     "f32[5,3]"},
    {OpKind::scan, "%x: f32[5,3]", "%x {axis = 1, kind = \"max\", reverse = true}", "f32[5,3]"},
    {OpKind::argsort,
     "%x: f32[5,3]",
     "%x {axis = 0, count = 2, descending = true, start = 1}",
     "i64[2,3]"},
    {OpKind::barrier, "%x: f32[3], %y: i64[]", "%x, %y", "f32[3]"},
    {OpKind::matmul,
     "%x: f32[7,3,2], %y: f32[1,3,4]",
     "%x, %y {transpose_lhs = true}",
     "f32[7,2,4]"},
    {OpKind::conv,
     "%x: f32[1,4,5,5], %w: f32[6,2,3,3]",
     "%x, %w {groups = 2, padding = [1, 1], stride = [2, 2]}",
     "f32[1,6,3,3]"},
    {OpKind::conv_input_grad,
     "%g: f32[1,6,3,3], %w: f32[6,2,3,3]",
     "%g, %w {groups = 2, input_shape = [1, 4, 5, 5], padding = [1, 1], stride = [2, 2]}",
     "f32[1,4,5,5]"},
    {OpKind::conv_weight_grad,
     "%x: f32[1,4,5,5], %g: f32[1,6,3,3]",
     "%x, %g {groups = 2, padding = [1, 1], stride = [2, 2], weight_shape = [6, 2, 3, 3]}",
     "f32[6,2,3,3]"},
    {OpKind::max_pool2d, "%x: f32[1,1,4,4]", "%x {kernel = [2, 2]}", "f32[1,1,2,2]"},
    {OpKind::max_pool2d_grad,
     "%e: u8[1,1,2,2], %g: f32[1,1,2,2]",
     "%e, %g {input_shape = [1, 1, 4, 4], kernel = [2, 2]}",
     "f32[1,1,4,4]"},
    {OpKind::avg_pool2d,
     "%x: f32[1,1,4,4]",
     "%x {exclude_padding = true, kernel = [3, 3], padding = [1, 1], stride = [1, 1]}",
     "f32[1,1,4,4]"},
    {OpKind::avg_pool2d_grad,
     "%g: f32[1,1,2,2]",
     "%g {input_shape = [1, 1, 4, 4], kernel = [2, 2]}",
     "f32[1,1,4,4]"},
    {OpKind::constant, "", "{value = dense<f32[2]: 1.5, -2>}", "f32[2]"},
    {OpKind::iota, "", "{axis = 1, dtype = i32, shape = [2, 3]}", "i32[2,3]"},
    {OpKind::random_bits,
     "%key: i64[] {scalar}, %offset: i64[] {scalar}",
     "%key, %offset {shape = [4]}",
     "i32[4]"},
};

constexpr std::string_view kFusion = R"(graph @fused(%x: f32[3], %y: f32[3]) -> (f32[3], f32[]) {
  %0, %total = fusion<row> @k0(%x, %y) {
    ^(%a: f32[3], %b: f32[3]):
    %1 = add %a, %b : f32[3]
    %2 = reduce_sum %1 {axes = [0]} : f32[]
    yield %1, %2
  } {in_place = [0, -1]} : (f32[3], f32[])
  return %0, %total
}
)";

constexpr std::string_view kCustom = R"(graph @main(%x: f32[2,1], %y: f32[3]) -> (f32[2,3]) {
  %0 = "sample.hypot" %x, %y {eps = 1e-06, note = "any", strict = true} : f32[2,3]
  return %0
}
)";

std::string graph_text(OpKind op, const Sample& sample) {
  return fmt::format("graph @main({}) -> ({}) {{\n  %0 = {} {} : {}\n  return %0\n}}\n",
                     sample.parameters,
                     sample.type,
                     to_string(op),
                     sample.operands_and_attributes,
                     sample.type);
}

/// Most elementwise ops look alike, and so do most reductions.
std::string common_sample(OpKind op) {
  if (has(op, kReduction)) {
    return graph_text(op, {op, "%x: f32[2,3]", "%x {axes = [1]}", "f32[2]"});
  }
  if (!has(op, kElementwise)) return "";
  const bool compares =
      op == OpKind::eq || op == OpKind::ne || op == OpKind::lt || op == OpKind::le;
  const bool integer = has(op, kIntegerOnly) || has(op, kNoFloat);
  const std::string_view dtype = integer ? "i32" : "f32";
  const std::string type = fmt::format("{}[2,3]", compares ? "bool" : dtype);
  if (op_info(op).max_operands == 1) {
    return graph_text(op, {op, fmt::format("%x: {}[2,3]", dtype), "%x", type});
  }
  const std::string parameters = fmt::format("%x: {}[2,1], %y: {}[3]", dtype, dtype);
  return graph_text(op, {op, parameters, "%x, %y", type});
}

}  // namespace

std::string sample_of(OpKind op) {
  if (op == OpKind::parameter) return "graph @main(%x: f32[2]) -> (f32[2]) {\n  return %x\n}\n";
  if (op == OpKind::custom) {
    register_sample_ops();
    return std::string(kCustom);
  }
  if (op == OpKind::fusion) return std::string(kFusion);
  for (const Sample& sample : kSamples) {
    if (sample.op == op) return graph_text(op, sample);
  }
  return common_sample(op);
}

}  // namespace wick::ir
