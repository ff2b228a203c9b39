// Whole programs on the llvm backend.

#include "wick/runtime/executor.h"

#include <thread>

#include "run_graph.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/parser.h"
#include "wick/runtime/stats.h"
#include "wick/runtime/validate.h"

namespace wick::runtime {
namespace {

class LlvmBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_llvm()) GTEST_SKIP() << "built without LLVM";
  }
};

constexpr const char* kMixed = R"(
graph @f(%x: f32[300,200], %w: f32[100,200], %b: f32[100]) -> (f32[300,100], f32[300], f32[]) {
  %h = matmul %x, %w {transpose_rhs = true} : f32[300,100]
  %a = add %h, %b : f32[300,100]
  %t = tanh %a : f32[300,100]
  %m = reduce_max %t {axes = [1]} : f32[300]
  %s = reduce_sum %t {axes = [0, 1]} : f32[]
  return %t, %m, %s
})";

TEST_F(LlvmBackend, RunsKernelsAndLibraryCalls) {
  const auto graph = ir::parse_graph(kMixed);
  std::mt19937_64 random(11);
  const auto parameters = random_parameters(*graph, random);

  const auto got = run_on("llvm", *graph, parameters);

  const auto expected = run_on("interpreter", *graph, parameters);
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(difference(expected[k], got[k], true), std::nullopt) << k;
  }
  const ProgramSummary summary = find_backend("llvm").compile(graph->clone())->summary();
  EXPECT_EQ(summary.num_ops, 5);
  EXPECT_EQ(summary.num_library_calls, 1);
  EXPECT_EQ(summary.num_interpreted, 0);
  EXPECT_GE(summary.num_kernels, 1);
}

TEST_F(LlvmBackend, RunsLaunchesSideBySide) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[300,170], %y: f32[70001] {donate}, %z: f32[513,129]) -> (f32[170], f32[70001], f32[129,129], f32[513]) {
  %0 = reduce_sum %x {axes = [0]} : f32[170]
  %1 = tanh %y : f32[70001]
  %2 = exp %z : f32[513,129]
  %3 = reduce_max %2 {axes = [1]} : f32[513]
  %4 = reduce_max %2 {axes = [1], keepdims = true} : f32[513,1]
  %5 = div %2, %4 : f32[513,129]
  %6 = matmul %5, %5 {transpose_lhs = true} : f32[129,129]
  return %0, %1, %6, %3
})");
  std::mt19937_64 random(12);
  for (const int threads : {2, 3, 8}) {
    const auto parameters = random_parameters(*graph, random);
    const ThreadsOption several(threads);
    EXPECT_NE(find_backend("llvm").compile(graph->clone())->to_text().find("side by side: 0 to 2"),
              std::string::npos);

    const uint64_t before = runtime_counters().kernel_launches.load();
    const auto got = run_on("llvm", *graph, parameters);

    EXPECT_EQ(runtime_counters().kernel_launches.load() - before, 3U);
    const auto expected = run_on("interpreter", *graph, parameters);
    const ThreadsOption one(1);
    const auto alone = run_on("llvm", *graph, parameters);
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_TRUE(got[k] == alone[k]) << k << " on " << threads << " threads";
      EXPECT_EQ(difference(expected[k], got[k], true), std::nullopt) << k;
    }
  }
}

/// Rows, and one value a row, that die where something of their size is made of them.
const char* const kOverwritten[] = {
    // the sum of what is stored
    R"(
graph @f(%x: f32[300,170] {donate}, %m: bool[300,170]) -> (f32[300,170], f32[170]) {
  %0 = constant {value = dense<f32[]: 0>} : f32[]
  %1 = where %m, %x, %0 : f32[300,170]
  %2 = reduce_sum %1 {axes = [0]} : f32[170]
  return %1, %2
})",
    // read by all three loops of a softmax
    R"(
graph @f(%x: f32[300,170] {donate}) -> (f32[300,170]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[300,1]
  %1 = sub %x, %0 : f32[300,170]
  %2 = exp %1 : f32[300,170]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[300,1]
  %4 = div %2, %3 : f32[300,170]
  return %4
})",
    // read again by a loop behind the store
    R"(
graph @f(%x: f32[300,170] {donate}) -> (f32[300,170], f32[300]) {
  %0 = exp %x : f32[300,170]
  %1 = reduce_max %0 {axes = [1], keepdims = true} : f32[300,1]
  %2 = sub %x, %1 : f32[300,170]
  %3 = reduce_sum %2 {axes = [1]} : f32[300]
  return %0, %3
})",
    // one result in the operand's place, whose loop is not the last
    R"(
graph @f(%x: f32[300,170] {donate}) -> (f32[300,170], f32[300,170]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[300,1]
  %1 = sub %x, %0 : f32[300,170]
  %2 = exp %1 : f32[300,170]
  %3 = reduce_sum %2 {axes = [1], keepdims = true} : f32[300,1]
  %4 = div %1, %3 : f32[300,170]
  return %1, %4
})",
    // columns of blocks, of which the last body takes some again where it may
    R"(
graph @f(%x: f32[350,4,5], %y: f32[350,4,5] {donate}) -> (f32[350,4,5]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[350,1,5]
  %1 = sub %x, %0 : f32[350,4,5]
  %2 = add %1, %y : f32[350,4,5]
  return %2
})",
    // columns of several axes, and numbers of channels that die behind them
    R"(
graph @f(%x: f32[40,128,9] {donate}, %m: f32[128,1] {donate}, %s: f32[40,9,9] {donate}, %n: f32[9,1] {donate})
    -> (f32[40,128,9], f32[128,1], f32[40,9,9], f32[9,1]) {
  %0 = sub %x, %m : f32[40,128,9]
  %1 = mul %m, %m : f32[128,1]
  %2 = mul %s, %n : f32[40,9,9]
  %3 = reduce_sum %2 {axes = [0,2]} : f32[9]
  %4 = reshape %3 {shape = [9,1]} : f32[9,1]
  %5 = add %4, %n : f32[9,1]
  return %0, %1, %2, %5
})",
    // rows of which each element might have computed what the others are
    R"(
graph @f(%x: f32[301,3] {donate}) -> (f32[301,3]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[301,1]
  %1 = sub %x, %0 : f32[301,3]
  return %1
})",
    // updates of one value a column, one of them known before the loop
    R"(
graph @f(%g: f32[300,170], %b: f32[170] {donate}, %c: f32[170] {donate}, %d: f32[170]) -> (f32[170], f32[170]) {
  %0 = reduce_sum %g {axes = [0]} : f32[170]
  %1 = mul %0, %d : f32[170]
  %2 = sub %b, %1 : f32[170]
  %3 = mul %c, %d : f32[170]
  return %2, %3
})",
    // a weight that rows read and sums over them update
    R"(
graph @f(%x: f32[300,170] {donate}, %g: f32[300,170], %w: f32[170] {donate}) -> (f32[300,170], f32[170]) {
  %0 = reduce_max %x {axes = [1], keepdims = true} : f32[300,1]
  %1 = sub %x, %0 : f32[300,170]
  %2 = mul %1, %w : f32[300,170]
  %3 = mul %1, %g : f32[300,170]
  %4 = reduce_sum %3 {axes = [0]} : f32[170]
  %5 = sub %w, %4 : f32[170]
  return %2, %5
})",
    // a dear value, too wide for memory of the kernel's own, that three loops need
    R"(
graph @f(%x: f64[300,170] {donate}) -> (f64[300,170]) {
  %0 = exp %x : f64[300,170]
  %1 = reduce_max %0 {axes = [1], keepdims = true} : f64[300,1]
  %2 = sub %0, %1 : f64[300,170]
  %3 = mul %2, %x : f64[300,170]
  %4 = reduce_sum %3 {axes = [1], keepdims = true} : f64[300,1]
  %5 = div %4, %1 : f64[300,1]
  %6 = sub %0, %5 : f64[300,170]
  return %6
})"};

TEST_F(LlvmBackend, WritesRowsOverTheirOperands) {
  std::mt19937_64 random(14);
  for (const char* text : kOverwritten) {
    const auto graph = ir::parse_graph(text);
    const auto parameters = random_parameters(*graph, random);

    const auto got = run_on("llvm", *graph, parameters);

    const auto expected = run_on("interpreter", *graph, parameters);
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_EQ(difference(expected[k], got[k], true), std::nullopt) << k << text;
    }
  }
}

/// Sums of rows and over all rows.
constexpr const char* kRowsAndColumns = R"(
graph @f(%x: f32[1111,170], %y: f32[1111,170]) -> (f32[1111,170], f32[1111], f32[170]) {
  %0 = reduce_sum %x {axes = [1], keepdims = true} : f32[1111,1]
  %1 = mul %y, %0 : f32[1111,170]
  %2 = reduce_sum %1 {axes = [1]} : f32[1111]
  %3 = reduce_sum %1 {axes = [0]} : f32[170]
  return %1, %2, %3
})";

/// Sums of channels beside what each has a number for, pixels of small images.
constexpr const char* kChannels = R"(
graph @f(%x: f32[1111,37,9], %m: f32[37,1]) -> (f32[1111,37,9], f32[37], f32[37]) {
  %0 = sub %x, %m : f32[1111,37,9]
  %1 = mul %0, %0 : f32[1111,37,9]
  %2 = reduce_sum %1 {axes = [0,2]} : f32[37]
  %3 = reduce_max %0 {axes = [0,2]} : f32[37]
  return %0, %2, %3
})";

TEST_F(LlvmBackend, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* text : {kMixed, kRowsAndColumns, kChannels}) {
    const auto graph = ir::parse_graph(text);
    std::mt19937_64 random(12);
    const auto parameters = random_parameters(*graph, random);

    std::vector<std::vector<Literal>> results;
    for (const int threads : {1, 2, 3}) {
      const ThreadsOption scope(threads);
      results.push_back(run_on("llvm", *graph, parameters));
    }

    for (size_t k = 0; k < 3; ++k) {
      EXPECT_TRUE(results[0][k] == results[1][k]) << k << text;
      EXPECT_TRUE(results[0][k] == results[2][k]) << k << text;
    }
  }
}

TEST_F(LlvmBackend, FollowsAChangeOfThreadsBetweenRuns) {
  const auto graph = ir::parse_graph(kMixed);
  std::mt19937_64 random(13);
  const auto parameters = random_parameters(*graph, random);
  const auto executable = find_backend("llvm").compile(graph->clone());
  const auto before = executable->run(arguments_of(parameters));

  const ThreadsOption scope(options().num_threads == 1 ? 2 : 1);
  const auto after = executable->run(arguments_of(parameters));

  const Type type{DType::f32, {300, 100}};
  EXPECT_TRUE(literal_of(type, *before[0]) == literal_of(type, *after[0]));
}

TEST_F(LlvmBackend, RunsOnePlanFromSeveralThreads) {
  const auto graph = ir::parse_graph(kMixed);
  std::mt19937_64 random(14);
  const auto parameters = random_parameters(*graph, random);
  const auto executable = find_backend("llvm").compile(graph->clone());
  const Type type{DType::f32, {300, 100}};
  const Literal expected = literal_of(type, *executable->run(arguments_of(parameters))[0]);

  std::atomic<int> wrong{0};
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      const auto results = executable->run(arguments_of(parameters));
      if (!(literal_of(type, *results[0]) == expected)) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(wrong, 0);
}

TEST_F(LlvmBackend, AllocatesNothingNewInASteadyLoop) {
  const auto graph = ir::parse_graph(kMixed);
  std::mt19937_64 random(15);
  const auto arguments = arguments_of(random_parameters(*graph, random));
  const auto executable = find_backend("llvm").compile(graph->clone());
  for (int i = 0; i < 3; ++i)
    (void)executable->run(arguments);
  const int64_t before = memory_manager()->stats().system_allocations;

  for (int i = 0; i < 10; ++i)
    (void)executable->run(arguments);

  EXPECT_EQ(memory_manager()->stats().system_allocations, before);
}

TEST_F(LlvmBackend, CompilesNoKernelForANewBatchSize) {
  const auto small = ir::parse_graph(R"(
graph @f(%x: f32[30,40]) -> (f32[30,40]) {
  %y = exp %x : f32[30,40]
  %z = neg %y : f32[30,40]
  return %z
})");
  const auto large = ir::parse_graph(R"(
graph @f(%x: f32[70,40]) -> (f32[70,40]) {
  %y = exp %x : f32[70,40]
  %z = neg %y : f32[70,40]
  return %z
})");
  (void)find_backend("llvm").compile(small->clone());
  const auto before = codegen::KernelCache::instance().stats();

  (void)find_backend("llvm").compile(large->clone());

  const auto after = codegen::KernelCache::instance().stats();
  EXPECT_EQ(after.compiled, before.compiled);
  EXPECT_EQ(after.disk_hits, before.disk_hits);
  EXPECT_EQ(after.memory_hits, before.memory_hits + 1);
}

TEST_F(LlvmBackend, CountsPlansRunsAndSteps) {
  const auto graph = ir::parse_graph(kMixed);
  std::mt19937_64 random(16);
  const auto parameters = random_parameters(*graph, random);
  const RuntimeStats before = runtime_stats();

  const auto executable = find_backend("llvm").compile(graph->clone());
  (void)executable->run(arguments_of(parameters));
  (void)executable->run(arguments_of(parameters));

  const RuntimeStats after = runtime_stats();
  const ProgramSummary summary = executable->summary();
  EXPECT_EQ(after.plans_built - before.plans_built, 1);
  EXPECT_EQ(after.plan_runs - before.plan_runs, 2);
  EXPECT_EQ(after.library_calls - before.library_calls, 2);
  EXPECT_EQ(after.kernel_launches - before.kernel_launches, 2 * summary.num_kernels);
}

}  // namespace
}  // namespace wick::runtime
