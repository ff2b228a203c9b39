// Products of bf16 that the library computes itself, against the interpreter.

#include <array>
#include <cmath>
#include <utility>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/passes/default_backend.h"
#include "wick/passes/native_products.h"
#include "wick/passes/pass_manager.h"
#include "wick/runtime/parallel.h"
#include "wick/runtime/plan_builder.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

using ir::OpKind;

constexpr DType kBf16 = DType::bf16;

/// Plain, transposed on either side, and on both.
std::vector<LibraryOp> transposes(int64_t m, int64_t n, int64_t k) {
  return {make_product(m, n, k, false, false, kBf16),
          make_product(m, n, k, false, true, kBf16),
          make_product(m, n, k, true, false, kBf16),
          make_product(m, n, k, true, true, kBf16)};
}

Literal run_on_threads(int threads, const LibraryOp& op) {
  const ThreadsOption option(threads);
  const ThreadCountScope scope(threads);
  return run(*make_bf16_matmul(op), op, random_operands(op));
}

Literal in_f32(const Literal& value) {
  const Type type{DType::f32, value.type().shape};
  return ir::interpret_op(OpKind::cast, {{"dtype", DType::f32}}, std::array{&value}, type);
}

/// Half a unit in the last place for one rounding, and what sums in f32 of numbers up to 1 lose.
void expect_rounded_once(const LibraryOp& op) {
  LibraryOp wide = op;
  std::vector<Literal> operands;
  for (const Literal& operand : random_operands(op)) {
    wide.operands[operands.size()].dtype = DType::f32;
    operands.push_back(in_f32(operand));
  }
  wide.result.dtype = DType::f32;
  const Literal expected = interpret(wide, operands);

  const Literal got = run_on_threads(1, op);

  ASSERT_EQ(got.type(), op.result);
  for (int64_t i = 0; i < got.numel(); ++i) {
    const double exact = expected.as_double(i);
    ASSERT_LE(std::abs(got.as_double(i) - exact), std::ldexp(std::abs(exact), -8) + 1e-5)
        << describe(op) << " element " << i;
  }
}

/// As many threads as a machine may have do not change a bit.
void expect_same_bits(const LibraryOp& op) {
  const Literal expected = run_on_threads(1, op);
  for (const int threads : {2, 3, 8}) {
    EXPECT_TRUE(run_on_threads(threads, op) == expected)
        << describe(op) << " on " << threads << " threads";
  }
}

class Bf16Matmul : public testing::Test {
 protected:
  void SetUp() override {
    if (!passes::has_native_bf16_products()) GTEST_SKIP() << "no products of bf16 on this machine";
  }
};

TEST_F(Bf16Matmul, TakesAllTransposesAndExtents) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                   {1, 7, 1},
                                                                   {5, 3, 1},
                                                                   {17, 13, 31},
                                                                   {33, 1, 65},
                                                                   {1, 129, 70},
                                                                   {64, 100, 10},
                                                                   {70, 90, 81}}) {
    for (const LibraryOp& op : transposes(m, n, k))
      expect_rounded_once(op);
  }
}

/// Of rows, of columns, and of one row.
TEST_F(Bf16Matmul, IsCutIntoPieces) {
  for (const auto& [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{513, 9, 7}, {9, 1027, 33}, {1, 1027, 33}}) {
    for (const LibraryOp& op : transposes(m, n, k))
      expect_rounded_once(op);
  }
}

TEST_F(Bf16Matmul, TakesBatches) {
  expect_rounded_once(make_product({3, 5, 4}, {3, 4, 6}, false, false, kBf16));
  expect_rounded_once(make_product({3, 300, 4}, {3, 6, 4}, false, true, kBf16));
  expect_rounded_once(make_product({20, 5, 4}, {20, 6, 4}, false, true, kBf16));
  expect_rounded_once(make_product({20, 4, 5}, {20, 4, 6}, true, false, kBf16));
  expect_rounded_once(make_product({21, 1, 40}, {21, 70, 40}, false, true, kBf16));
  expect_rounded_once(make_product({9, 120, 110}, {9, 110, 130}, false, false, kBf16));
}

TEST_F(Bf16Matmul, BroadcastsBatches) {
  expect_rounded_once(make_product({7, 5, 4}, {4, 6}, false, false, kBf16));
  expect_rounded_once(make_product({9, 4, 5}, {4, 6}, true, false, kBf16));
  expect_rounded_once(make_product({5, 4}, {9, 6, 4}, false, true, kBf16));
  expect_rounded_once(make_product({2, 1, 5, 4}, {7, 4, 6}, false, false, kBf16));
  expect_rounded_once(make_product({5, 3, 5, 4}, {5, 1, 4, 6}, false, false, kBf16));
}

TEST_F(Bf16Matmul, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
           {500, 500, 131}, {1, 1500, 300}, {30, 2000, 100}, {8, 8, 20000}, {1021, 131, 70}}) {
    for (const LibraryOp& op : transposes(m, n, k))
      expect_same_bits(op);
  }
  expect_same_bits(make_product({33, 64, 70}, {33, 70, 64}, false, false, kBf16));
}

TEST_F(Bf16Matmul, LeavesOtherProductsAlone) {
  EXPECT_EQ(make_bf16_matmul(make_product(4, 5, 6, false, false)), nullptr);
  EXPECT_EQ(make_bf16_matmul(make_product({4, 6}, {6, 5}, false, false, DType::f16)), nullptr);
  EXPECT_EQ(make_bf16_matmul(make_product(0, 5, 6, false, false, kBf16)), nullptr);
  EXPECT_EQ(make_bf16_matmul(make_product(4, 5, 0, false, false, kBf16)), nullptr);
  LibraryOp with_bias = make_product(4, 5, 6, false, false, kBf16);
  with_bias.operands.push_back({DType::bf16, {5}});
  EXPECT_EQ(make_bf16_matmul(with_bias), nullptr);
}

constexpr const char* kPrograms[] = {
    R"(graph @between_kernels(%x: bf16[200,70], %w: bf16[90,70], %b: bf16[90]) -> (bf16[200,90]) {
  %0 = tanh %x : bf16[200,70]
  %1 = permute %w {axes = [1, 0]} : bf16[70,90]
  %2 = matmul %0, %1 : bf16[200,90]
  %3 = add %2, %b : bf16[200,90]
  return %3
})",
    R"(graph @batch(%x: bf16[16,65,33], %y: bf16[16,65,40]) -> (bf16[16,33,40]) {
  %0 = matmul %x, %y {transpose_lhs = true} : bf16[16,33,40]
  return %0
})",
    R"(graph @small(%x: bf16[64,8,8], %y: bf16[64,8,8]) -> (bf16[64,8,8]) {
  %0 = matmul %x, %y : bf16[64,8,8]
  return %0
})",
    R"(graph @sums_nothing(%x: bf16[300,0], %y: bf16[0,300]) -> (bf16[300,300]) {
  %0 = matmul %x, %y : bf16[300,300]
  return %0
})",
    R"(graph @column_and_row(%x: bf16[300,1], %y: bf16[1,300]) -> (bf16[300,300]) {
  %0 = matmul %x, %y : bf16[300,300]
  return %0
})"};

TEST(Bf16Programs, AgreeWithTheInterpreter) {
  for (const char* text : kPrograms) {
    const auto graph = ir::parse_graph(text);
    std::mt19937_64 random(7);
    const std::vector<Literal> parameters = random_parameters(*graph, random);
    const std::vector<Literal> expected = run_on("interpreter", *graph, parameters);

    const std::vector<Literal> got = run_on(default_backend(), *graph, parameters);

    const auto differs = difference(expected[0], got[0], /*exact_integers=*/true);
    EXPECT_FALSE(differs) << text << ": " << *differs;
  }
}

std::string plan_of(const char* text) {
  const auto graph = ir::parse_graph(text);
  passes::PassContext context;
  passes::PassManager::parse("widen-half{native-products=host},canonicalize,fuse,plan-memory")
      .run(*graph, context);
  return to_string(*build_plan(*graph, {.fusions = PlanOptions::Fusions::interpret_bodies}));
}

TEST_F(Bf16Matmul, IsInThePlansOfLargeProducts) {
  const auto is_native = [](const char* text) {
    return plan_of(text).find("onednn bf16 matmul") != std::string::npos;
  };

  EXPECT_TRUE(is_native(kPrograms[0]));
  EXPECT_TRUE(is_native(kPrograms[1]));
  EXPECT_FALSE(is_native(kPrograms[2]));
}

}  // namespace
}  // namespace wick::runtime
