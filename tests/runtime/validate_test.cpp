#include "wick/runtime/validate.h"

#include <cmath>

#include "run_graph.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"

namespace wick::runtime {
namespace {

constexpr const char* kProgram = R"(
graph @f(%x: f32[4]) -> (f32[4], i64[4]) {
  %y = exp %x : f32[4]                     loc("model.cpp":12:9)
  %i = iota {axis = 0, dtype = i64, shape = [4]} : i64[4]   loc("model.cpp":13:9)
  return %y, %i
})";

/// Rows less their means, summed: nothing but rounding.
constexpr const char* kCancels = R"(
graph @f(%x: f32[3,5]) -> (f32[3]) {
  %share = constant {value = dense<f32[]: 0.2>} : f32[]
  %shares = mul %x, %share : f32[3,5]
  %mean = reduce_sum %shares {axes = [1], keepdims = true} : f32[3,1]
  %rest = sub %x, %mean : f32[3,5]
  %sum = reduce_sum %rest {axes = [1]} : f32[3]              loc("model.cpp":7:1)
  return %sum
})";

/// Compiles with the interpreter and adds `error` to one element of a result.
class WrongBackend final : public Backend {
 public:
  std::string_view name() const override { return "wrong"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* /*record*/) override {
    return std::make_unique<Wrong>(find_backend("interpreter").compile(std::move(graph)), error);
  }

  float error = 0;

 private:
  class Wrong final : public Executable {
   public:
    Wrong(std::unique_ptr<Executable> right, float error)
        : right_(std::move(right)),
          error_(error) {}

    std::vector<Ref<Buffer>> run(std::span<const Argument> arguments) override {
      auto results = right_->run(arguments);
      static_cast<float*>(results[0]->data())[2] += error_;
      return results;
    }

    ProgramSummary summary() const override { return right_->summary(); }

    std::string to_text() const override { return right_->to_text(); }

   private:
    std::unique_ptr<Executable> right_;
    float error_;
  };
};

std::string message_of(const char* program, const Literal& x, float error) {
  const auto graph = ir::parse_graph(program);
  WrongBackend backend;
  backend.error = error;
  const auto executable = make_validating(backend.compile(graph->clone(), nullptr), graph->clone());
  try {
    (void)executable->run(arguments_of(std::vector{x}));
  } catch (const Error& caught) {
    return caught.what();
  }
  return "";
}

std::string message_with(float error) {
  const std::vector<float> zeros = {0, 0, 0, 0};
  return message_of(kProgram, Literal::from<float>({4}, zeros), error);
}

TEST(Validate, NamesOpAndLineOfAWrongResult) {
  EXPECT_EQ(message_with(0.5F),
            "model.cpp:12:9: error: exp: validation failed: result 0: element 2 of f32[4] is 1.5, "
            "the interpreter gives 1");
}

TEST(Validate, CatchesNan) {
  EXPECT_EQ(message_with(NAN),
            "model.cpp:12:9: error: exp: validation failed: result 0: element 2 of f32[4] is nan, "
            "the interpreter gives 1");
}

TEST(Validate, AcceptsRounding) {
  EXPECT_EQ(message_with(0), "");
  EXPECT_EQ(message_with(1e-6F), "");
}

TEST(Validate, AcceptsAnyRoundingOfWhatCancels) {
  std::vector<float> x(15);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.3F + 1.7F / static_cast<float>(i + 1);
  const Literal rows = Literal::from<float>({3, 5}, x);
  EXPECT_EQ(message_of(kCancels, rows, 1e-6F), "");
  EXPECT_TRUE(message_of(kCancels, rows, 1e-3F).starts_with("model.cpp:7:1: error"));
}

TEST(Validate, WrapsTheBackendWhenSwitchedOn) {
  options().validate = true;
  const auto graph = ir::parse_graph(kProgram);
  std::mt19937_64 random(1);

  const auto parameters = random_parameters(*graph, random);
  const auto results = run_on(compiled_backend(), *graph, parameters);
  options().validate = false;

  EXPECT_EQ(difference(run_on("interpreter", *graph, parameters)[0], results[0], true),
            std::nullopt);
}

TEST(Difference, WantsIntegersEqualUnlessTheyComeFromFloats) {
  const std::vector<int64_t> a = {1, 2, 3};
  const std::vector<int64_t> b = {1, 2, 4};
  const Literal expected = Literal::from<int64_t>({3}, a);
  const Literal got = Literal::from<int64_t>({3}, b);

  EXPECT_EQ(difference(expected, got, true), "element 2 of i64[3] is 4, the interpreter gives 3");
  EXPECT_EQ(difference(expected, got, false), std::nullopt);
}

TEST(IsExact, AsksForFloatsAnywhereBelow) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4], %n: i64[4]) -> (i64[], i64[4]) {
  %a = argmax %x {axes = [0]} : i64[]
  %b = neg %n : i64[4]
  return %a, %b
})");

  EXPECT_FALSE(is_exact(graph->results()[0]));
  EXPECT_TRUE(is_exact(graph->results()[1]));
}

}  // namespace
}  // namespace wick::runtime
