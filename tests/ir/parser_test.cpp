#include "wick/ir/parser.h"

#include <random>

#include "op_samples.h"
#include <gtest/gtest.h>

#include "wick/ir/nearest_name.h"
#include "wick/ir/printer.h"

namespace wick::ir {
namespace {

using namespace std::string_view_literals;

std::string error_of(std::string_view text) {
  try {
    (void)parse_graphs(text, "f.wick");
    return "no error";
  } catch (const ParseError& error) {
    return error.what();
  }
}

/// The error of one line inside a graph with parameters %x f32[2,3], %i i32[2].
std::string error_of_line(std::string_view line) {
  return error_of("graph @main(%x: f32[2,3], %i: i32[2]) -> () {\n" + std::string(line) +
                  "\nreturn\n}\n");
}

TEST(ParserErrors, ShowTheLineAndACaret) {
  EXPECT_EQ(error_of("graph @main(%x: f32[2]) -> (f32[2]) {\n"
                     "\t%y = neg %z : f32[2]\n"
                     "  return %y\n}\n"),
            "f.wick:2:11: error: %z is not defined\n"
            "\t%y = neg %z : f32[2]\n"
            "\t         ^");
}

TEST(ParserErrors, SayWhatWasExpected) {
  struct Case {
    std::string_view text;
    std::string_view error;
  };

  const Case cases[] = {
      {"", "no error"},
      {"grahp", "f.wick:1:1: error: expected 'graph', found 'grahp'\ngrahp\n^"},
      {"graph",
       "f.wick:1:6: error: expected the name of the graph, such as @main, found the "
       "end\ngraph\n     ^"},
      {"graph @", "f.wick:1:7: error: expected a name after '@'\ngraph @\n      ^"},
      {"graph @a(%x f32[])",
       "f.wick:1:13: error: expected ':', found 'f32'\n"
       "graph @a(%x f32[])\n            ^"},
      {"graph @a(%x: f33[])",
       "f.wick:1:14: error: expected a type, found 'f33'\n"
       "graph @a(%x: f33[])\n             ^"},
      {"graph @a(%x: f32[-1])",
       "f.wick:1:18: error: an extent should not be negative\n"
       "graph @a(%x: f32[-1])\n                 ^"},
      {"graph @a(%x: f32[1.5])",
       "f.wick:1:18: error: 1.5 is not an integer\n"
       "graph @a(%x: f32[1.5])\n                 ^"},
      {"graph @a(%x: f32[], %x: f32[])",
       "f.wick:1:21: error: %x is defined twice\n"
       "graph @a(%x: f32[], %x: f32[])\n"
       "                    ^"},
      {"graph @a(%x: f32[4294967296,4294967296])",
       "f.wick:1:14: error: the type has too many elements\n"
       "graph @a(%x: f32[4294967296,4294967296])\n             ^"},
      {"graph @a() -> () { return",
       "f.wick:1:26: error: expected '}', found the end\n"
       "graph @a() -> () { return\n                         ^"},
      {"graph @a() -> () { }",
       "f.wick:1:20: error: expected an op or 'return', found '}'\n"
       "graph @a() -> () { }\n                   ^"},
      {"graph @a() -> (f32[]) { return }",
       "f.wick:1:7: error: the graph returns 0 values and declares 1\n"
       "graph @a() -> (f32[]) { return }\n      ^"},
      {"graph @a() -> () { return } graph @a() -> () { return }",
       "f.wick:1:29: error: graph @a is defined twice\n"
       "graph @a() -> () { return } graph @a() -> () { return }\n                            ^"},
      {"graph @a(%x: f32[]) -> (i32[]) { return %x }",
       "f.wick:1:7: error: result 0 of the graph is f32[], declared as i32[]\n"
       "graph @a(%x: f32[]) -> (i32[]) { return %x }\n      ^"},
      {"graph @a(%x: f32[] {donat}) -> () { return }",
       "f.wick:1:10: error: parameter has no attribute donat\n"
       "graph @a(%x: f32[] {donat}) -> () { return }\n         ^"},
      {"graph ?", "f.wick:1:7: error: unexpected character \"?\"\ngraph ?\n      ^"},
  };
  for (const Case& wrong : cases) {
    EXPECT_EQ(error_of(wrong.text), wrong.error);
  }
}

/// The first line of the error, without its place.
std::string sentence_of_line(std::string_view line) {
  const std::string error = error_of_line(line);
  const size_t begin = error.find(" error: ");
  return begin == std::string::npos ? error : error.substr(begin + 8, error.find('\n') - begin - 8);
}

TEST(ParserErrors, OfLines) {
  struct Case {
    std::string_view line;
    std::string_view error;
  };

  const Case cases[] = {
      {"%y = ad %x, %x : f32[2,3]", "unknown op ad; did you mean add?"},
      {"%y = reduce_summ %x : f32[]", "unknown op reduce_summ; did you mean reduce_sum?"},
      {"%y = quaternion %x : f32[]", "unknown op quaternion"},
      {"%y = parameter : f32[]", "parameters stand in the list behind the name"},
      {"%y = exp %i : i32[2]", "exp: needs a float operand, got i32[2]"},
      {"%y = neg %x : f32[2]", "the type of neg is f32[2,3], not f32[2]"},
      {"neg %x : f32[2,3]", "neg has 1 result, not 0"},
      {"%y = neg %x : (f32[2,3], f32[2,3])", "expected 1 type, found 2"},
      {"%x = neg %x : f32[2,3]", "%x is defined twice"},
      {"%y = neg %x {axes = [1]} : f32[2,3]", "neg has no attribute axes"},
      {"%y = reduce_sum %x {axes = 1} : f32[2]",
       "attribute axes should be a list of integers, not an integer"},
      {"%y = reduce_sum %x {axes = [1], axes = [0]} : f32[2]", "attribute axes is given twice"},
      {"%y = reduce_sum %x {axes = } : f32[2]", "expected an attribute value, found '}'"},
      {"%y = reduce_sum %x {axes = [1, \"a\"]} : f32[2]", "expected an integer, found '\"a\"'"},
      {"%y = cast %x {dtype = f31} : f32[2,3]", "expected an attribute value, found 'f31'"},
      {"%y = neg %x {a.b = \"unterminated} : f32[2,3]", "expected '\"' before the end of the line"},
      {"%y = neg %x {a.b = \"\\q\"} : f32[2,3]", "unknown escape '\\q'"},
      {"%y = neg %x {a.b = 99999999999999999999} : f32[2,3]",
       "99999999999999999999 is out of range"},
      {"%y = constant {value = dense<f32[2]: 1>} : f32[2]", "f32[2] should have 2 elements, not 1"},
      {"%y = constant {value = dense<i8[]: 128>} : i8[]", "128 does not fit i8"},
      {"%y = constant {value = dense<bool[]: 1>} : bool[]",
       "expected 'true' or 'false', found '1'"},
      {"%y = constant {value = dense<f32[]: nan(0x1)>} : f32[]", "expected the bits of a NaN"},
      {"%y = constant {value = dense<f32[]: 1e99>} : f32[]", "1e99 is out of range"},
      {"%y = constant {value = dense<f32[1099511627776]: splat 0>} : f32[1]",
       "the literal is too large"},
      // Each is small enough; both are not.
      {"%y = constant {value = dense<u8[1]: splat 0>} : u8[1]\n"
       "%z = constant {value = dense<u8[1073741824]: splat 0>} : u8[1]",
       "the literal is too large"},
      {"%y = neg %x : f32[2,3] loc(\"f\":-1:2)", "-1 is out of range"},
      {"%y = fusion @k(%x) { ^(%a: f32[3]): yield %a } : f32[3]",
       "operand 0 of the fusion is f32[2,3], parameter 0 of its body f32[3]"},
      {"%y = fusion @k(%x) { ^(): yield } : ()", "the fusion has 1 operand, its body 0 parameters"},
      {"%y = fusion @k(%x) { ^(%a: f32[2,3]): %b = neg %x : f32[2,3] yield %b } : f32[2,3]",
       "%x is not defined"},
      {"%y = fusion @k() { ^(): %b = fusion @j() { ^(): yield } : () yield } : ()",
       "a fusion should not be inside a fusion"},
      {"%y = fusion @k() { ^(): return } : ()", "unknown op return"},
  };
  for (const Case& wrong : cases) {
    EXPECT_EQ(sentence_of_line(wrong.line), wrong.error) << wrong.line;
  }
}

TEST(ParserErrors, OneGraphMeansOne) {
  EXPECT_THROW((void)parse_graph("graph @a() -> () { return } graph @b() -> () { return }"),
               ParseError);
  EXPECT_THROW((void)parse_graph(""), ParseError);
}

// Texts that are almost right find what well-formed and hopeless ones do not.
TEST(Parser, NeverCrashesOnDamagedText) {
  constexpr unsigned kSeed = 20240607;
  std::mt19937 random(kSeed);
  const std::string_view inserted = "{}()[]:,=<>^%@\"\\-0e.xnan \n\t\0\xff"sv;
  int accepted = 0;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < kNumOps; ++i) {
      std::string text = sample_of(static_cast<OpKind>(i));
      for (unsigned edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
        const size_t at = random() % text.size();
        const unsigned kind = random() % 3;
        if (kind == 0) text.erase(at, 1 + random() % 4);
        if (kind == 1) text.insert(at, 1, inserted[random() % inserted.size()]);
        if (kind == 2 && !text.empty()) text.resize(at);
      }
      try {
        for (const auto& graph : parse_graphs(text)) {
          const std::string printed = to_string(*graph);
          EXPECT_EQ(to_string(*parse_graph(printed)), printed);
          ++accepted;
        }
      } catch (const ParseError&) {
        continue;
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  const std::string_view names[] = {"add", "sub"};

  EXPECT_EQ(nearest_name("subb", names), "sub");
  EXPECT_EQ(nearest_name("matmul", names), std::nullopt);
}

}  // namespace
}  // namespace wick::ir
