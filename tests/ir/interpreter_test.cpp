#include "wick/ir/interpreter.h"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/ir/printer.h"

namespace wick::ir {
namespace {

/// Result of one op over constants named %a, %b, %c: what stands between `dense<` and `>`.
std::string eval(std::string_view op,
                 std::string_view type,
                 std::initializer_list<std::string_view> operands) {
  std::string text = fmt::format("graph @main() -> ({}) {{\n", type);
  char name = 'a';
  for (const std::string_view operand : operands) {
    const std::string_view operand_type = operand.substr(0, operand.find(']') + 1);
    text +=
        fmt::format("%{} = constant {{value = dense<{}>}} : {}\n", name++, operand, operand_type);
  }
  text += fmt::format("%r = {} : {}\nreturn %r\n}}\n", op, type);
  const AttributeValue result = interpret(*parse_graph(text), {})[0];
  const std::string printed = to_string(result);
  return printed.substr(6, printed.size() - 7);
}

/// One operand to a result of the same type; types are written with their elements.
std::string unary(std::string_view op, std::string_view operand) {
  const std::string_view type = operand.substr(0, operand.find(']') + 1);
  return eval(fmt::format("{} %a", op), type, {operand});
}

std::string binary(std::string_view op, std::string_view a, std::string_view b) {
  return eval(fmt::format("{} %a, %b", op), a.substr(0, a.find(']') + 1), {a, b});
}

std::string compare(std::string_view op, std::string_view a, std::string_view b) {
  const size_t shape = a.find('[');
  const std::string type = "bool" + std::string(a.substr(shape, a.find(']') + 1 - shape));
  return eval(fmt::format("{} %a, %b", op), type, {a, b});
}

TEST(InterpretUnary, Floats) {
  EXPECT_EQ(unary("neg", "f32[3]: 1.5, -0, inf"), "f32[3]: -1.5, 0, -inf");
  EXPECT_EQ(unary("abs", "f32[3]: -1.5, -0, -inf"), "f32[3]: 1.5, 0, inf");
  EXPECT_EQ(unary("floor", "f32[2]: -1.5, 1.5"), "f32[2]: -2, 1");
  EXPECT_EQ(unary("round", "f32[4]: 0.5, 1.5, 2.5, -0.2"), "f32[4]: 0, 2, 2, -0");
  EXPECT_EQ(unary("exp", "f32[4]: 0, 1, -inf, 1000"), "f32[4]: 1, 2.7182817, 0, inf");
  EXPECT_EQ(unary("log", "f32[2]: 1, 0"), "f32[2]: 0, -inf");
  EXPECT_EQ(unary("sqrt", "f32[3]: 2, -0, 4"), "f32[3]: 1.4142135, -0, 2");
  EXPECT_EQ(unary("sin", "f64[2]: 0, 1"), "f64[2]: 0, 0.8414709848078965");
  EXPECT_EQ(unary("cos", "f64[2]: 0, 1"), "f64[2]: 1, 0.5403023058681398");
  EXPECT_EQ(unary("atan", "f32[3]: 1, -inf, -0"), "f32[3]: 0.7853982, -1.5707964, -0");
  EXPECT_EQ(unary("tanh", "f32[3]: 0, 1, inf"), "f32[3]: 0, 0.7615942, 1");
  EXPECT_EQ(unary("erf", "f32[3]: 0, 1, -inf"), "f32[3]: 0, 0.8427008, -1");
  EXPECT_EQ(unary("sigmoid", "f32[3]: 0, -inf, 2"), "f32[3]: 0.5, 0, 0.8807971");
  EXPECT_EQ(unary("sigmoid", "f64[1]: -745"), "f64[1]: 5e-324");
  EXPECT_EQ(unary("exp", "f16[2]: 1, 12"), "f16[2]: 2.71875, inf");
  EXPECT_EQ(unary("exp", "bf16[1]: 1"), "bf16[1]: 2.71875");
}

TEST(InterpretUnary, BitcastKeepsBits) {
  EXPECT_EQ(eval("bitcast %a {dtype = i32}", "i32[2]", {"f32[2]: 1, -0"}),
            "i32[2]: 1065353216, -2147483648");
  EXPECT_EQ(eval("bitcast %a {dtype = bf16}", "bf16[1]", {"i16[1]: 16256"}), "bf16[1]: 1");
}

TEST(InterpretOrdered, Scans) {
  const auto scan = [](std::string_view attributes, std::string_view x) {
    const std::string type(x.substr(0, x.find(':')));
    return eval("scan %a {axis = 0, " + std::string(attributes) + "}", type, {std::string(x)});
  };
  EXPECT_EQ(scan("kind = \"sum\"", "f32[3]: 1, 2, 3"), "f32[3]: 1, 3, 6");
  EXPECT_EQ(scan("kind = \"sum\", reverse = true", "i32[3]: 1, 2, 3"), "i32[3]: 6, 5, 3");
  EXPECT_EQ(scan("kind = \"prod\"", "i8[3]: 100, 2, -1"), "i8[3]: 100, -56, 56");
  EXPECT_EQ(scan("kind = \"max\"", "f32[4]: 1, 0, nan, 3"), "f32[4]: 1, 1, nan, nan");
  EXPECT_EQ(scan("kind = \"min\"", "f32[3]: 1, -inf, 3"), "f32[3]: 1, -inf, -inf");
  EXPECT_EQ(scan("kind = \"logaddexp\"", "f32[4]: -inf, -inf, 0, 0"),
            "f32[4]: -inf, -inf, 0, 0.6931472");
  EXPECT_EQ(eval("scan %a {axis = 1, kind = \"sum\"}", "i64[2,2]", {"i64[2,2]: 1, 2, 3, 4"}),
            "i64[2,2]: 1, 3, 3, 7");
}

TEST(InterpretOrdered, SortsAreStableWithNanLast) {
  EXPECT_EQ(eval("argsort %a {axis = 0}", "i64[5]", {"f32[5]: nan, 2, 1, 2, -inf"}),
            "i64[5]: 4, 2, 1, 3, 0");
  EXPECT_EQ(eval("argsort %a {axis = 0, descending = true}", "i64[5]", {"f32[5]: 2, nan, 1, 2, 3"}),
            "i64[5]: 1, 4, 0, 3, 2");
  EXPECT_EQ(eval("argsort %a {axis = 0}", "i64[2,2]", {"u8[2,2]: 200, 1, 100, 2"}),
            "i64[2,2]: 1, 0, 0, 1");
}

TEST(InterpretOrdered, SortsGiveAWindow) {
  const auto window = [](std::string_view attributes, std::string_view type) {
    return eval("argsort %a {" + std::string(attributes) + "}",
                type,
                {"f32[4,2]: 3, -0, nan, 1, 3, 0, 1, nan"});
  };

  EXPECT_EQ(window("axis = 0, count = 2", "i64[2,2]"), "i64[2,2]: 3, 0, 0, 2");
  EXPECT_EQ(window("axis = 0, count = 2, start = 1", "i64[2,2]"), "i64[2,2]: 0, 2, 2, 1");
  EXPECT_EQ(window("axis = 0, descending = true, start = 3", "i64[1,2]"), "i64[1,2]: 3, 2");
  EXPECT_EQ(window("axis = 1, count = 1", "i64[4,1]"), "i64[4,1]: 1, 1, 1, 0");
  EXPECT_EQ(window("axis = 1, count = 0, start = 2", "i64[4,0]"), "i64[4,0]");
}

TEST(InterpretOrdered, ScatterModes) {
  const auto scatter = [](std::string_view mode) {
    return eval("scatter %a, %b, %c {axis = 0, mode = \"" + std::string(mode) + "\"}",
                "f32[3]",
                {"f32[3]: 1, 5, 7", "i64[4]: 0, 0, 3, 1", "f32[4]: 2, 4, 9, -1"});
  };
  EXPECT_EQ(scatter("add"), "f32[3]: 7, 4, 7");
  EXPECT_EQ(scatter("mul"), "f32[3]: 8, -5, 7");
  EXPECT_EQ(scatter("max"), "f32[3]: 4, 5, 7");
  EXPECT_EQ(scatter("min"), "f32[3]: 1, -1, 7");
  EXPECT_EQ(scatter("set"), "f32[3]: 4, -1, 7");
}

TEST(InterpretUnary, IntegersWrap) {
  EXPECT_EQ(unary("neg", "i8[3]: 1, -128, 127"), "i8[3]: -1, -128, -127");
  EXPECT_EQ(unary("neg", "u8[2]: 1, 0"), "u8[2]: 255, 0");
  EXPECT_EQ(unary("abs", "i32[2]: -5, -2147483648"), "i32[2]: 5, -2147483648");
  EXPECT_EQ(unary("abs", "i64[1]: -9223372036854775808"), "i64[1]: -9223372036854775808");
  EXPECT_EQ(unary("logical_not", "bool[2]: true, false"), "bool[2]: false, true");
}

TEST(InterpretCast, FollowsTheTable) {
  EXPECT_EQ(eval("cast %a {dtype = i8}", "i8[4]", {"f32[4]: -1.9, 300, nan, -inf"}),
            "i8[4]: -1, 127, 0, -128");
  EXPECT_EQ(eval("cast %a {dtype = i8}", "i8[2]", {"i32[2]: 200, -129"}), "i8[2]: -56, 127");
  EXPECT_EQ(eval("cast %a {dtype = bool}", "bool[4]", {"f32[4]: 0, -0, 0.5, nan"}),
            "bool[4]: false, false, true, true");
  EXPECT_EQ(eval("cast %a {dtype = f32}", "f32[2]", {"i64[2]: 16777217, -3"}),
            "f32[2]: 16777216, -3");
  EXPECT_EQ(eval("cast %a {dtype = f16}", "f16[1]", {"f64[1]: 1.00048828125091"}),
            "f16[1]: 1.0009766");
}

TEST(InterpretBinary, Floats) {
  EXPECT_EQ(binary("add", "f32[2]: 1, inf", "f32[2]: 2.5, -inf").substr(0, 10), "f32[2]: 3.");
  EXPECT_EQ(binary("sub", "f32[2]: 1, 5", "f32[2]: 2.5, 5"), "f32[2]: -1.5, 0");
  EXPECT_EQ(binary("mul", "f16[1]: 300", "f16[1]: 300"), "f16[1]: inf");
  EXPECT_EQ(binary("div", "f32[2]: 1, -1", "f32[2]: 3, 0"), "f32[2]: 0.33333334, -inf");
  EXPECT_EQ(binary("rem", "f32[6]: 5, -5, 5, -5, 4, -1", "f32[6]: 3, 3, -3, -3, -2, inf"),
            "f32[6]: 2, 1, -1, -2, -0, inf");
  EXPECT_EQ(binary("pow", "f32[3]: 2, 2, 0", "f32[3]: 10, -1, 0"), "f32[3]: 1024, 0.5, 1");
  EXPECT_EQ(binary("maximum", "f32[3]: 1, nan, 2", "f32[3]: 2, 1, nan"), "f32[3]: 2, nan, nan");
  EXPECT_EQ(binary("minimum", "f32[3]: 1, nan, 2", "f32[3]: 2, 1, nan"), "f32[3]: 1, nan, nan");
}

TEST(InterpretBinary, IntegersWrapAndDivideDown) {
  EXPECT_EQ(binary("add", "i8[2]: 127, -128", "i8[2]: 1, -1"), "i8[2]: -128, 127");
  EXPECT_EQ(binary("add", "i64[1]: 9223372036854775807", "i64[1]: 1"),
            "i64[1]: -9223372036854775808");
  EXPECT_EQ(binary("mul", "i32[1]: 65536", "i32[1]: 65536"), "i32[1]: 0");
  EXPECT_EQ(binary("sub", "u8[1]: 1", "u8[1]: 2"), "u8[1]: 255");
  EXPECT_EQ(binary("div", "i32[6]: 7, -7, 7, -7, 5, -2147483648", "i32[6]: 2, 2, -2, -2, 0, -1"),
            "i32[6]: 3, -4, -4, 3, 0, -2147483648");
  EXPECT_EQ(binary("div", "i64[1]: -9223372036854775808", "i64[1]: -1"),
            "i64[1]: -9223372036854775808");
  EXPECT_EQ(binary("rem", "i32[6]: 7, -7, 7, -7, 5, -2147483648", "i32[6]: 2, 2, -2, -2, 0, -1"),
            "i32[6]: 1, 1, -1, -1, 0, 0");
  EXPECT_EQ(binary("add", "bool[3]: true, true, false", "bool[3]: true, false, false"),
            "bool[3]: true, true, false");
  EXPECT_EQ(binary("mul", "bool[2]: true, true", "bool[2]: true, false"), "bool[2]: true, false");
  EXPECT_EQ(binary("maximum", "i32[2]: 1, -1", "i32[2]: 0, 0"), "i32[2]: 1, 0");
  EXPECT_EQ(binary("minimum", "bool[1]: true", "bool[1]: false"), "bool[1]: false");
}

TEST(InterpretBinary, Bits) {
  EXPECT_EQ(binary("bit_and", "i32[1]: 12", "i32[1]: 10"), "i32[1]: 8");
  EXPECT_EQ(binary("bit_or", "i32[1]: 12", "i32[1]: 10"), "i32[1]: 14");
  EXPECT_EQ(binary("bit_xor", "i32[1]: 12", "i32[1]: -1"), "i32[1]: -13");
  EXPECT_EQ(binary("bit_xor", "bool[2]: true, true", "bool[2]: true, false"),
            "bool[2]: false, true");
  EXPECT_EQ(binary("shift_left", "i8[4]: 1, 1, 1, 3", "i8[4]: 7, 8, -1, 1"),
            "i8[4]: -128, 0, 0, 6");
  EXPECT_EQ(binary("shift_right", "i8[5]: -128, -128, 64, -1, 5", "i8[5]: 7, 8, 8, -1, 1"),
            "i8[5]: -1, -1, 0, -1, 2");
  EXPECT_EQ(binary("shift_right", "u8[2]: 255, 255", "u8[2]: 7, 8"), "u8[2]: 1, 0");
  EXPECT_EQ(binary("shift_left", "i64[2]: 1, 1", "i64[2]: 63, 64"),
            "i64[2]: -9223372036854775808, 0");
}

TEST(InterpretBinary, Comparisons) {
  constexpr auto kA = "f32[3]: 1, nan, 2";
  constexpr auto kB = "f32[3]: 1, nan, 3";
  EXPECT_EQ(compare("eq", kA, kB), "bool[3]: true, false, false");
  EXPECT_EQ(compare("ne", kA, kB), "bool[3]: false, true, true");
  EXPECT_EQ(compare("lt", kA, kB), "bool[3]: false, false, true");
  EXPECT_EQ(compare("le", kA, kB), "bool[3]: true, false, true");
  EXPECT_EQ(compare("lt", "i64[1]: 9007199254740992", "i64[1]: 9007199254740993"), "bool[1]: true");
  EXPECT_EQ(compare("lt", "bool[1]: false", "bool[1]: true"), "bool[1]: true");
}

TEST(InterpretBinary, Broadcasts) {
  EXPECT_EQ(eval("sub %a, %b", "i32[2,3]", {"i32[2,1]: 10, 20", "i32[3]: 1, 2, 3"}),
            "i32[2,3]: 9, 8, 7, 19, 18, 17");
  EXPECT_EQ(eval("add %a, %b", "f32[0,3]", {"f32[0,1]", "f32[3]: 1, 2, 3"}), "f32[0,3]");
}

TEST(InterpretWhere, BroadcastsAndKeepsBits) {
  EXPECT_EQ(eval("where %a, %b, %c",
                 "f32[2,2]",
                 {"bool[2,1]: true, false", "f32[2]: nan(0x7f800001), 2", "f32[]: 0"}),
            "f32[2,2]: nan(0x7f800001), 2, 0, 0");
}

TEST(InterpretReduction, SumsOverAnyAxes) {
  constexpr auto kX = "f32[2,3]: 1, 2, 3, 4, 5, 6";
  EXPECT_EQ(eval("reduce_sum %a {axes = [0]}", "f32[3]", {kX}), "f32[3]: 5, 7, 9");
  EXPECT_EQ(eval("reduce_sum %a {axes = [1], keepdims = true}", "f32[2,1]", {kX}),
            "f32[2,1]: 6, 15");
  EXPECT_EQ(eval("reduce_sum %a {axes = [0, 1]}", "f32[]", {kX}), "f32[]: 21");
  EXPECT_EQ(eval("reduce_sum %a", "f32[2,3]", {kX}), kX);
  EXPECT_EQ(eval("reduce_sum %a {axes = [0]}", "f32[2]", {"f32[0,2]"}), "f32[2]: splat 0");
  EXPECT_EQ(eval("reduce_sum %a {axes = [0]}", "f16[]", {"f16[3]: 2048, 1, 1"}), "f16[]: 2050");
  EXPECT_EQ(eval("reduce_sum %a {axes = [0]}", "i8[]", {"i8[2]: 127, 2"}), "i8[]: -127");
  EXPECT_EQ(eval("reduce_sum %a {axes = [0]}", "bool[]", {"bool[2]: true, true"}), "bool[]: true");
}

TEST(InterpretReduction, ProductsAndExtremes) {
  EXPECT_EQ(eval("reduce_prod %a {axes = [0]}", "i32[]", {"i32[3]: 2, 3, -4"}), "i32[]: -24");
  EXPECT_EQ(eval("reduce_prod %a {axes = [0]}", "f32[]", {"f32[0]"}), "f32[]: 1");
  EXPECT_EQ(eval("reduce_max %a {axes = [1]}", "f32[2]", {"f32[2,2]: -3, -2, nan, 1"}),
            "f32[2]: -2, nan");
  EXPECT_EQ(eval("reduce_min %a {axes = [1]}", "f32[2]", {"f32[2,2]: -3, -2, 1, nan"}),
            "f32[2]: -3, nan");
  EXPECT_EQ(eval("reduce_max %a {axes = [0]}", "i64[]", {"i64[1]: -9223372036854775808"}),
            "i64[]: -9223372036854775808");
  EXPECT_EQ(eval("reduce_max %a {axes = [0]}", "bool[]", {"bool[2]: false, true"}), "bool[]: true");
  EXPECT_EQ(eval("reduce_min %a {axes = [0]}", "bool[]", {"bool[2]: false, true"}),
            "bool[]: false");
}

TEST(InterpretReduction, PositionsTakeTheFirstAndTheFirstNan) {
  EXPECT_EQ(eval("argmax %a {axes = [1]}", "i64[3]", {"f32[3,3]: 1, 5, 5, nan, 9, nan, 0, nan, 7"}),
            "i64[3]: 1, 0, 1");
  EXPECT_EQ(eval("argmax %a {axes = [0, 1]}", "i64[]", {"i32[2,3]: 3, 2, 2, 5, 9, 9"}), "i64[]: 4");
  EXPECT_EQ(eval("argmax %a {axes = [0, 2]}", "i64[2]", {"i32[2,2,2]: 3, 2, 0, 0, 4, 4, 1, 0"}),
            "i64[2]: splat 2");
  EXPECT_EQ(eval("argmax %a {axes = [0], keepdims = true}", "i64[1]", {"bool[2]: false, true"}),
            "i64[1]: 1");
}

TEST(InterpretMovement, Views) {
  constexpr auto kX = "i32[2,3]: 1, 2, 3, 4, 5, 6";
  EXPECT_EQ(eval("broadcast %a {shape = [2, 2]}", "i32[2,2]", {"i32[2,1]: 1, 2"}),
            "i32[2,2]: 1, 1, 2, 2");
  EXPECT_EQ(eval("reshape %a {shape = [3, 2]}", "i32[3,2]", {kX}), "i32[3,2]: 1, 2, 3, 4, 5, 6");
  EXPECT_EQ(eval("permute %a {axes = [1, 0]}", "i32[3,2]", {kX}), "i32[3,2]: 1, 4, 2, 5, 3, 6");
  EXPECT_EQ(eval("slice %a {sizes = [2, 2], starts = [0, 2], steps = [1, -2]}", "i32[2,2]", {kX}),
            "i32[2,2]: 3, 1, 6, 4");
  EXPECT_EQ(eval("slice %a {sizes = [1, 3], starts = [1, 0]}", "i32[1,3]", {kX}),
            "i32[1,3]: 4, 5, 6");
  EXPECT_EQ(eval("slice %a {sizes = [0, 3]}", "i32[0,3]", {kX}), "i32[0,3]");
  EXPECT_EQ(eval("permute %a {axes = [2, 0, 1]}", "i32[2,1,3]", {"i32[1,3,2]: 1, 2, 3, 4, 5, 6"}),
            "i32[2,1,3]: 1, 3, 5, 2, 4, 6");
}

TEST(InterpretMovement, ConcatAndPad) {
  EXPECT_EQ(
      eval("concat %a, %b {axis = 1}", "i32[2,3]", {"i32[2,1]: 1, 2", "i32[2,2]: 3, 4, 5, 6"}),
      "i32[2,3]: 1, 3, 4, 2, 5, 6");
  EXPECT_EQ(eval("concat %a, %b, %c {axis = 0}", "u8[3]", {"u8[2]: 1, 2", "u8[0]", "u8[1]: 3"}),
            "u8[3]: 1, 2, 3");
  EXPECT_EQ(eval("pad %a, %b {high = [2], interior = [1], low = [1]}",
                 "i32[8]",
                 {"i32[3]: 1, 2, 3", "i32[]: 9"}),
            "i32[8]: 9, 1, 9, 2, 9, 3, 9, 9");
  EXPECT_EQ(eval("pad %a, %b {high = [-1], low = [-1]}", "i32[1]", {"i32[3]: 1, 2, 3", "i32[]: 9"}),
            "i32[1]: 2");
  EXPECT_EQ(eval("pad %a, %b {high = [1], low = [-4]}", "i32[0]", {"i32[3]: 1, 2, 3", "i32[]: 9"}),
            "i32[0]");
  EXPECT_EQ(eval("pad %a, %b {high = [0], interior = [2], low = [-2]}",
                 "i32[5]",
                 {"i32[3]: 1, 2, 3", "i32[]: 9"}),
            "i32[5]: 9, 2, 9, 9, 3");
  EXPECT_EQ(
      eval("pad %a, %b {high = [0, 1], low = [1, 0]}", "i32[2,3]", {"i32[1,2]: 1, 2", "i32[]: 0"}),
      "i32[2,3]: 0, 0, 0, 1, 2, 0");
}

TEST(InterpretIndexed, GatherClampsAndScatterDrops) {
  constexpr auto kX = "i32[3,2]: 1, 2, 3, 4, 5, 6";
  EXPECT_EQ(eval("gather %a, %b {axis = 0}", "i32[3,2]", {kX, "i64[3]: 2, -5, 99"}),
            "i32[3,2]: 5, 6, 1, 2, 5, 6");
  EXPECT_EQ(eval("gather %a, %b {axis = 1}", "i32[3,1,2]", {kX, "i32[1,2]: 1, 0"}),
            "i32[3,1,2]: 2, 1, 4, 3, 6, 5");
  EXPECT_EQ(eval("gather %a, %b {axis = 0}", "i32[2]", {kX, "i32[]: 1"}), "i32[2]: 3, 4");
  EXPECT_EQ(eval("gather %a, %b {along = true, axis = 0}", "i32[1,2]", {kX, "i32[1,2]: 2, 0"}),
            "i32[1,2]: 5, 2");
  EXPECT_EQ(eval("gather %a, %b {along = true, axis = 1}", "i32[3,1]", {kX, "i64[3,1]: 1, -3, 8"}),
            "i32[3,1]: 2, 3, 6");
  EXPECT_EQ(eval("scatter %a, %b, %c {axis = 0}",
                 "i32[3,2]",
                 {kX, "i32[4]: 0, 0, -1, 3", "i32[4,2]: 10, 20, 30, 40, 50, 60, 70, 80"}),
            "i32[3,2]: 41, 62, 3, 4, 5, 6");
  EXPECT_EQ(eval("scatter %a, %b, %c {axis = 1}",
                 "f32[1,2]",
                 {"f32[1,2]: 0.5, 0", "i64[2]: 1, 1", "f32[1,2]: 1, 2"}),
            "f32[1,2]: 0.5, 3");
}

TEST(InterpretContraction, Matmul) {
  constexpr auto kA = "f32[2,3]: 1, 2, 3, 4, 5, 6";
  constexpr auto kB = "f32[3,2]: 1, 0, 0, 1, 1, 1";
  EXPECT_EQ(eval("matmul %a, %b", "f32[2,2]", {kA, kB}), "f32[2,2]: 4, 5, 10, 11");
  EXPECT_EQ(
      eval("matmul %a, %b {transpose_lhs = true, transpose_rhs = true}", "f32[3,3]", {kA, kB}),
      "f32[3,3]: 1, 4, 5, 2, 5, 7, 3, 6, 9");
  EXPECT_EQ(eval("matmul %a, %b", "i32[2,1,1]", {"i32[2,1,2]: 1, 2, 3, 4", "i32[2,1]: 10, 100"}),
            "i32[2,1,1]: 210, 430");
  EXPECT_EQ(eval("matmul %a, %b", "f32[1,1]", {"f32[1,0]", "f32[0,1]"}), "f32[1,1]: 0");
}

TEST(InterpretContraction, Conv2d) {
  constexpr auto kX = "f32[1,1,3,3]: 1, 2, 3, 4, 5, 6, 7, 8, 9";
  constexpr auto kW = "f32[1,1,2,2]: 1, 2, 3, 4";
  EXPECT_EQ(eval("conv %a, %b", "f32[1,1,2,2]", {kX, kW}), "f32[1,1,2,2]: 37, 47, 67, 77");
  EXPECT_EQ(eval("conv %a, %b {padding = [1, 0], stride = [2, 1]}", "f32[1,1,2,2]", {kX, kW}),
            "f32[1,1,2,2]: 11, 18, 67, 77");
  EXPECT_EQ(eval("conv %a, %b {dilation = [2, 2]}", "f32[1,1,1,1]", {kX, kW}), "f32[1,1,1,1]: 64");
  EXPECT_EQ(eval("conv %a, %b {groups = 2}",
                 "f32[1,2,1,1]",
                 {"f32[1,4,1,1]: 1, 2, 3, 4", "f32[2,2,1,1]: 1, 10, 100, 1000"}),
            "f32[1,2,1,1]: 21, 4300");
}

TEST(InterpretContraction, Conv2dGradients) {
  constexpr auto kX = "f32[1,1,3,3]: 1, 2, 3, 4, 5, 6, 7, 8, 9";
  constexpr auto kW = "f32[1,1,2,2]: 1, 2, 3, 4";
  constexpr auto kG = "f32[1,1,2,2]: 1, 0, 0, 10";
  EXPECT_EQ(eval("conv_input_grad %a, %b {input_shape = [1, 1, 3, 3]}", "f32[1,1,3,3]", {kG, kW}),
            "f32[1,1,3,3]: 1, 2, 0, 3, 14, 20, 0, 30, 40");
  EXPECT_EQ(eval("conv_weight_grad %a, %b {weight_shape = [1, 1, 2, 2]}", "f32[1,1,2,2]", {kX, kG}),
            "f32[1,1,2,2]: 51, 62, 84, 95");
}

TEST(InterpretPool, MaxTakesTheFirstLargestAndNan) {
  constexpr auto kX = "f32[1,1,2,4]: 1, 5, nan, 0, 5, 2, 9, nan";
  constexpr auto kG = "f32[1,1,1,2]: 10, 20";
  EXPECT_EQ(eval("max_pool2d %a {kernel = [2, 2]}", "f32[1,1,1,2]", {kX}), "f32[1,1,1,2]: 5, nan");
  EXPECT_EQ(eval("max_pool2d %a {argmax = true, kernel = [2, 2]}", "u8[1,1,1,2]", {kX}),
            "u8[1,1,1,2]: 1, 0");
  EXPECT_EQ(eval("max_pool2d_grad %a, %b {input_shape = [1, 1, 2, 4], kernel = [2, 2]}",
                 "f32[1,1,2,4]",
                 {"u8[1,1,1,2]: 1, 0", kG}),
            "f32[1,1,2,4]: 0, 10, 20, 0, 0, 0, 0, 0");
  EXPECT_EQ(eval("max_pool2d %a {kernel = [1, 2], padding = [0, 1]}",
                 "f32[1,1,1,2]",
                 {"f32[1,1,1,2]: -3, -4"}),
            "f32[1,1,1,2]: -3, -4");
  EXPECT_EQ(eval("max_pool2d %a {argmax = true, kernel = [1, 2], padding = [0, 1]}",
                 "u8[1,1,1,2]",
                 {"f32[1,1,1,2]: -3, -4"}),
            "u8[1,1,1,2]: 1, 0");
}

TEST(InterpretPool, NumbersOfNoElementOfTheInputGetNothing) {
  EXPECT_EQ(
      eval("max_pool2d_grad %a, %b {input_shape = [1, 1, 1, 2], kernel = [1, 2], padding = [0, "
           "1]}",
           "f32[1,1,1,2]",
           {"u8[1,1,1,2]: 0, 7", "f32[1,1,1,2]: 10, 20"}),
      "f32[1,1,1,2]: splat 0");
}

TEST(InterpretPool, AverageCountsPaddingUnlessExcluded) {
  constexpr auto kX = "f32[1,1,1,2]: 2, 4";
  EXPECT_EQ(eval("avg_pool2d %a {kernel = [1, 2], padding = [0, 1]}", "f32[1,1,1,2]", {kX}),
            "f32[1,1,1,2]: 1, 2");
  EXPECT_EQ(
      eval("avg_pool2d %a {exclude_padding = true, kernel = [1, 2], padding = [0, 1], stride = [1, "
           "1]}",
           "f32[1,1,1,3]",
           {kX}),
      "f32[1,1,1,3]: 2, 3, 4");
  EXPECT_EQ(
      eval("avg_pool2d_grad %a {input_shape = [1, 1, 1, 3], kernel = [1, 2], stride = [1, 1]}",
           "f32[1,1,1,3]",
           {"f32[1,1,1,2]: 2, 4"}),
      "f32[1,1,1,3]: 1, 3, 2");
}

TEST(InterpretSources, Iota) {
  EXPECT_EQ(eval("iota {axis = 1, dtype = i32, shape = [2, 3]}", "i32[2,3]", {}),
            "i32[2,3]: 0, 1, 2, 0, 1, 2");
  EXPECT_EQ(eval("iota {axis = 0, dtype = f16, shape = [2, 2]}", "f16[2,2]", {}),
            "f16[2,2]: 0, 0, 1, 1");
}

// Known answers of Random123 (Salmon et al., SC 2011), words 2 and 3 of the counter zero.
TEST(Philox, GivesTheKnownAnswer) {
  const PhiloxWords words = philox(0, 0);

  EXPECT_EQ(words.words[0], 0x6627E8D5U);
  EXPECT_EQ(words.words[1], 0xE169C58DU);
  EXPECT_EQ(words.words[2], 0xBC57AC4CU);
  EXPECT_EQ(words.words[3], 0x9B00DBD8U);
}

TEST(Philox, ElementsFollowTheLayoutOfBlocks) {
  constexpr uint64_t kKey = 0x123456789ABCDEF0U;
  constexpr uint64_t kOffset = 0xFFFFFFFFFFFFFFF8U;  // wraps within the first blocks
  const Literal key = Literal::scalar_integer(DType::i64, static_cast<int64_t>(kKey));
  const Literal offset = Literal::scalar_integer(DType::i64, static_cast<int64_t>(kOffset));
  const Literal* operands[] = {&key, &offset};

  const Literal bits = interpret_op(OpKind::random_bits, {}, operands, {DType::i32, {3, 50}});

  const auto values = bits.values<int32_t>();
  for (const uint64_t e : {0U, 15U, 16U, 63U, 64U, 149U}) {
    const PhiloxWords block = philox(kKey, kOffset + e / 64 * 16 + e % 16);
    EXPECT_EQ(static_cast<uint32_t>(values[e]), block.words[e / 16 % 4]) << e;
  }
}

TEST(Interpret, RunsFusionsAndSharedValues) {
  const std::unique_ptr<Graph> graph = parse_graph(R"(
graph @main(%x: f32[3]) -> (f32[3], f32[], f32[3]) {
  %y, %s = fusion @k(%x) {
    ^(%a: f32[3]):
    %b = mul %a, %a : f32[3]
    %c = reduce_sum %b {axes = [0]} : f32[]
    yield %b, %c
  } : (f32[3], f32[])
  %z = div %y, %s : f32[3]
  return %z, %s, %x
})");
  const float values[] = {1, 2, 3};
  const Literal x[] = {Literal::from<float>({3}, values)};

  const std::vector<Literal> results = interpret(*graph, x);

  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(to_string(AttributeValue(results[0])),
            "dense<f32[3]: 0.071428575, 0.2857143, 0.64285713>");
  EXPECT_EQ(results[1].as_double(0), 14);
  EXPECT_EQ(results[2], x[0]);
}

TEST(Interpret, KeepsHalfTypesInF32InsideOfFusions) {
  // 300 * 300 is no f16; a cast rounds inside of a fusion too.
  const std::unique_ptr<Graph> graph = parse_graph(R"(
graph @main(%x: f16[1]) -> (f16[1], bool[1]) {
  %y, %z = fusion @k(%x) {
    ^(%a: f16[1]):
    %b = mul %a, %a : f16[1]
    %c = div %b, %a : f16[1]
    %d = cast %b {dtype = f32} : f32[1]
    %e = cast %d {dtype = f16} : f16[1]
    %f = eq %b, %e : bool[1]
    yield %c, %f
  } : (f16[1], bool[1])
  return %y, %z
})");
  const Half values[] = {Half(300.0F)};
  const Literal x[] = {Literal::from<Half>({1}, values)};

  const std::vector<Literal> results = interpret(*graph, x);

  EXPECT_EQ(results[0].as_double(0), 300);
  EXPECT_EQ(results[1].as_integer(0), 0);
}

TEST(Interpret, RefusesOtherTypes) {
  const std::unique_ptr<Graph> graph = parse_graph("graph @g(%x: f32[3]) -> () { return }");
  const Literal x[] = {Literal(Type{DType::f32, {2}})};

  EXPECT_THROW((void)interpret(*graph, x), std::logic_error);
  EXPECT_THROW((void)interpret(*graph, {}), std::logic_error);
}

TEST(Interpret, FollowsANumpySoftmax) {
  const std::unique_ptr<Graph> graph = parse_graph(R"(
graph @softmax(%x: f32[2,2]) -> (f32[2,2]) {
  %m = reduce_max %x {axes = [1], keepdims = true} : f32[2,1]
  %d = sub %x, %m : f32[2,2]
  %e = exp %d : f32[2,2]
  %s = reduce_sum %e {axes = [1], keepdims = true} : f32[2,1]
  %r = div %e, %s : f32[2,2]
  return %r
})");
  const float values[] = {1000, 1000, 0, std::log(3.0F)};
  const Literal x[] = {Literal::from<float>({2, 2}, values)};

  const std::vector<Literal> results = interpret(*graph, x);

  EXPECT_EQ(results[0].as_double(0), 0.5);
  EXPECT_NEAR(results[0].as_double(2), 0.25, 1e-7);  // two roundings of f32
  EXPECT_NEAR(results[0].as_double(3), 0.75, 1e-7);
}

}  // namespace
}  // namespace wick::ir
