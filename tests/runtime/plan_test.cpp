// Plans from annotated graphs: aliases, in-place results, donation, results of every kind.

#include "wick/runtime/plan.h"

#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/passes/pass_manager.h"
#include "wick/runtime/executor.h"
#include "wick/runtime/plan_builder.h"

namespace wick::runtime {
namespace {

/// Through the default pipeline; fusions run by the interpreter, so that only the plan is tested.
std::unique_ptr<Plan> plan_of(const char* text) {
  const std::unique_ptr<ir::Graph> graph = ir::parse_graph(text);
  passes::PassContext context;
  passes::PassManager::parse(passes::default_pipeline()).run(*graph, context);
  return build_plan(*graph, {.fusions = PlanOptions::Fusions::interpret_bodies});
}

Literal floats(std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Literal::from<float>({count}, values);
}

Literal read(const Ref<Buffer>& buffer, int64_t count) {
  return literal_of({DType::f32, {count}}, *buffer);
}

TEST(Plan, RunsAGraphWithoutAnyPass) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[3], %y: f32[3]) -> (f32[3]) {
  %a = add %x, %y : f32[3]
  %b = mul %a, %x : f32[3]
  %c = sub %b, %a : f32[3]
  return %c
})");
  const auto executable = make_executable(build_plan(*graph, {}));

  const auto results =
      executable->run(arguments_of(std::vector{floats({1, 2, 3}), floats({4, 5, 6})}));

  EXPECT_EQ(read(results[0], 3), floats({0, 7, 18}));
  EXPECT_EQ(executable->summary().num_interpreted, 3);
  EXPECT_EQ(executable->summary().arena_bytes, 128);
}

TEST(Plan, ReturnsAParametersOwnBuffer) {
  auto plan = plan_of(R"(
graph @f(%x: f32[3]) -> (f32[3]) {
  return %x
})");
  const auto executable = make_executable(std::move(plan));
  const std::vector<Argument> arguments = arguments_of(std::vector{floats({1, 2, 3})});

  const auto results = executable->run(arguments);

  EXPECT_EQ(results[0], arguments[0].buffer);
}

TEST(Plan, CopiesAParameterThatItsOwnerMayChange) {
  const auto executable = make_executable(plan_of(R"(
graph @f(%x: f32[3]) -> (f32[3]) {
  return %x
})"));
  float values[3] = {1, 2, 3};
  const Argument foreign{.data = values, .buffer = Buffer::wrap(values, sizeof(values), {}, false)};

  const auto results = executable->run(std::vector{foreign});
  values[0] = 9;

  EXPECT_EQ(read(results[0], 3), floats({1, 2, 3}));
}

TEST(Plan, CopiesAScalarPassedByAddress) {
  const auto executable = make_executable(plan_of(R"(
graph @f(%x: f32[] {scalar}) -> (f32[], f32[1]) {
  %y = reshape %x {shape = [1]} : f32[1]
  return %x, %y
})"));
  float value = 3;
  const Argument scalar{.data = &value, .buffer = nullptr};

  const auto results = executable->run(std::vector{scalar});
  value = 4;

  EXPECT_EQ(read(results[0], 1), floats({3}));
  EXPECT_EQ(read(results[1], 1), floats({3}));
}

TEST(Plan, SharesTheBufferOfResultsThatAreOneValue) {
  const auto executable = make_executable(plan_of(R"(
graph @f(%x: f32[4]) -> (f32[4], f32[2,2], f32[4]) {
  %y = exp %x : f32[4]
  %z = reshape %y {shape = [2,2]} : f32[2,2]
  return %y, %z, %y
})"));

  const auto results = executable->run(arguments_of(std::vector{floats({0, 0, 0, 0})}));

  EXPECT_EQ(read(results[0], 4), floats({1, 1, 1, 1}));
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST(Plan, ReturnsConstantsReadOnly) {
  const auto executable = make_executable(plan_of(R"(
graph @f() -> (f32[], f32[]) {
  %c = constant {value = dense<f32[]: 2>} : f32[]
  return %c, %c
})"));

  const auto first = executable->run({});
  const auto second = executable->run({});

  EXPECT_EQ(*static_cast<const float*>(first[0]->data()), 2.0F);
  EXPECT_FALSE(first[0]->is_writable());
  EXPECT_EQ(first[0], second[1]);
}

constexpr const char* kDonating = R"(
graph @f(%x: f32[4] {donate}, %y: f32[4]) -> (f32[4]) {
  %z = add %x, %y : f32[4]
  return %z
})";

TEST(Plan, WritesOverADonatedParameter) {
  const auto plan = plan_of(kDonating);
  EXPECT_EQ(plan->overwritten, std::vector<int>{0}) << to_string(*plan);
  const auto executable = make_executable(plan_of(kDonating));
  const auto arguments = arguments_of(std::vector{floats({1, 2, 3, 4}), floats({1, 1, 1, 1})});

  const auto results = executable->run(arguments);

  EXPECT_EQ(results[0], arguments[0].buffer);
  EXPECT_EQ(read(results[0], 4), floats({2, 3, 4, 5}));
}

TEST(Plan, LeavesADonatedParameterThatMayNotBeWritten) {
  const auto executable = make_executable(plan_of(kDonating));
  float values[4] = {1, 2, 3, 4};
  std::vector<Argument> arguments =
      arguments_of(std::vector{floats({0, 0, 0, 0}), floats({1, 1, 1, 1})});
  arguments[0].buffer = Buffer::wrap(values, sizeof(values), {}, /*writable=*/false);

  const auto results = executable->run(arguments);

  EXPECT_EQ(read(results[0], 4), floats({2, 3, 4, 5}));
  EXPECT_EQ(values[0], 1);
}

TEST(Plan, RunsEmptyTensors) {
  const auto executable = make_executable(plan_of(R"(
graph @f(%x: f32[0,3], %w: f32[3,2]) -> (f32[0,2], f32[2], f32[0,3]) {
  %y = matmul %x, %w : f32[0,2]
  %s = reduce_sum %y {axes = [0]} : f32[2]
  %e = exp %x : f32[0,3]
  return %y, %s, %e
})"));

  const auto results = executable->run(
      arguments_of(std::vector{Literal({DType::f32, {0, 3}}), Literal({DType::f32, {3, 2}})}));

  EXPECT_EQ(results[0]->size(), 0U);
  EXPECT_EQ(read(results[1], 2), floats({0, 0}));
}

TEST(Plan, PrintsStepsPlacesAndLiveRanges) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: i64[2,3], %w: i64[3,2]) -> (i64[2,2]) {
  %a = matmul %x, %w : i64[2,2]   loc("net.cpp":7:3)
  %b = neg %a : i64[2,2]          loc("net.cpp":8:5)
  return %b
})");
  const auto plan = build_plan(*graph, {});

  EXPECT_EQ(to_string(*plan),
            R"(plan @f: 0 ops, 0 kernel launches, 1 library calls, 1 interpreted
steps:
    0 library   matmul [native matmul]  net.cpp:7:3
        reads  %x: i64[2,3] @param:0:48, %w: i64[3,2] @param:1:48
        writes %a: i64[2,2] @arena+0:32
    1 interpret neg  net.cpp:8:5
        reads  %a: i64[2,2] @arena+0:32
        writes %b: i64[2,2] @result:0:32
values:
  %x: i64[2,3] @param:0:48 live start..0
  %w: i64[3,2] @param:1:48 live start..0
  %a: i64[2,2] @arena+0:32 live 0..1
  %b: i64[2,2] @result:0:32 live 1..end
results:
  0 i64[2,2]: fresh buffer result:0
arena 64 bytes (values 64, scratch 0), peak 96 bytes, intermediates 0 bytes
)");
}

TEST(Plan, NamesTheOwnerOfEachAllocation) {
  const auto plan = plan_of(R"(
graph @f(%x: f32[4], %w: f32[4,40]) -> (f32[4], f32[4]) {
  %r = reshape %x {shape = [1,4]} : f32[1,4]
  %m = matmul %r, %w : f32[1,40]                  loc("net.cpp":7:3)
  %s = reshape %m {shape = [4,10]} : f32[4,10]
  %t = reduce_sum %s {axes = [1]} : f32[4]        loc("net.cpp":8:5)
  %u = add %t, %x : f32[4]                        loc("net.cpp":9:5)
  %v = neg %t : f32[4]                            loc("net.cpp":10:5)
  return %u, %v
})");
  const AllocationTags& tags = plan->tags;

  ASSERT_EQ(tags.arena_items.size(), 1U);
  EXPECT_EQ(tags.arena_items[0].op, "matmul");
  EXPECT_EQ(tags.arena_items[0].bytes, 160U);
  EXPECT_EQ(tags.arena_items[0].first_step, 0);
  EXPECT_EQ(tags.arena_items[0].last_step, 1) << "the reshape's reader keeps it";
  EXPECT_EQ(tags.arena.op, "matmul");
  EXPECT_EQ(tags.arena.where, Location("net.cpp", 7, 3));
  ASSERT_EQ(tags.results.size(), 2U);
  EXPECT_EQ(tags.results[0].op, "add");
  EXPECT_EQ(tags.results[1].op, "neg");
  EXPECT_EQ(tags.results[1].where, Location("net.cpp", 10, 5));
}

TEST(Plan, NamesWhoOverwritesAnArgument) {
  const auto plan = plan_of(R"(
graph @f(%x: f32[4] {donate}, %y: f32[4]) -> (f32[4]) {
  %s = sub %x, %y : f32[4]                        loc("net.cpp":8:5)
  return %s
})");

  ASSERT_EQ(plan->tags.overwritten.size(), 1U);
  EXPECT_EQ(plan->tags.overwritten[0].purpose, "argument copy");
  EXPECT_EQ(plan->tags.overwritten[0].op, "sub");
  EXPECT_EQ(plan->tags.overwritten[0].where, Location("net.cpp", 8, 5));
}

/// Computes nothing, in memory of its own.
class Scratcher final : public HostCall {
 public:
  [[nodiscard]] std::string_view implementation() const override { return "scratcher"; }

  [[nodiscard]] size_t scratch_bytes() const override { return 200; }

  void run(const void* const* /*operands*/,
           void* /*result*/,
           std::byte* /*scratch*/) const override {}
};

std::unique_ptr<Plan> plan_with_scratch() {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[8,8]) -> (f32[8,8]) {
  %a = matmul %x, %x : f32[8,8]
  %b = matmul %a, %a : f32[8,8]
  %c = matmul %b, %b : f32[8,8]
  %d = matmul %b, %c : f32[8,8]
  return %d
})");
  passes::PassManager manager = passes::PassManager::parse("plan-memory");
  passes::PassContext context;
  manager.run(*graph, context);
  const auto library = [](const LibraryOp&, int) -> std::unique_ptr<LibraryCall> {
    return std::make_unique<Scratcher>();
  };
  return build_plan(*graph, {.library = library});
}

TEST(Plan, ScratchLiesBetweenValues) {
  const auto plan = plan_with_scratch();
  ASSERT_EQ(verify(*plan), std::nullopt);
  ASSERT_EQ(plan->value_bytes, 512U);
  const auto offset = [&](size_t step) {
    return std::get<LibraryStep>(plan->steps[step].action).scratch_offset;
  };

  EXPECT_EQ(offset(0), 256U);  // where %b will be
  EXPECT_EQ(offset(1), 512U);  // %a and %b are needed
  EXPECT_EQ(offset(2), 512U);  // %b and %c, which has the place of %a
  EXPECT_EQ(offset(3), 512U);
  EXPECT_EQ(plan->arena_bytes, 768U);
}

/// The second and the third layer are alike; the first one is not in place, the last one has other
/// extents.
TEST(Plan, LowersLayersAlikeOnce) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[64,64], %w: f32[64,64], %v: f32[64,80]) -> (f32[64,80]) {
  %0 = exp %x : f32[64,64]
  %1 = matmul %0, %w : f32[64,64]
  %2 = exp %1 : f32[64,64]
  %3 = matmul %2, %w : f32[64,64]
  %4 = exp %3 : f32[64,64]
  %5 = matmul %4, %v : f32[64,80]
  %6 = exp %5 : f32[64,80]
  return %6
})");
  passes::PassContext context;
  passes::PassManager::parse(passes::default_pipeline()).run(*graph, context);

  const auto plan = build_plan(*graph, {.fusions = PlanOptions::Fusions::interpret_kernels});

  std::vector<const codegen::Kernel*> kernels;
  for (const Step& step : plan->steps) {
    if (const auto* launch = std::get_if<KernelStep>(&step.action))
      kernels.push_back(launch->kernel.get());
  }
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_NE(kernels[0], kernels[1]);
  EXPECT_EQ(kernels[1], kernels[2]);
  EXPECT_NE(kernels[2], kernels[3]);
}

TEST(PlanVerifier, FindsScratchOverValues) {
  const auto plan = plan_with_scratch();

  for (ArenaItem& item : plan->tags.arena_items) {
    if (item.is_scratch && item.first_step == 1) item.offset = 192;
  }

  EXPECT_EQ(verify(*plan),
            "step 1 works in arena+192:200, where %a (arena+0:256) is, defined at 0 and last read "
            "at 1");
}

TEST(PlanVerifier, FindsAValueOverwrittenBeforeItsLastRead) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4]) -> (f32[4]) {
  %a = exp %x : f32[4]
  %b = neg %a : f32[4]
  %c = add %a, %b : f32[4]
  return %c
})");
  const auto plan = build_plan(*graph, {});
  ASSERT_EQ(verify(*plan), std::nullopt);

  plan->values[2].place = plan->values[1].place;

  EXPECT_EQ(verify(*plan),
            "step 1 writes %b (arena+0:16) over %a (arena+0:16), which is defined at 0 and last "
            "read at 2");
}

TEST(PlanVerifier, FindsPartialOverlaps) {
  const auto graph = ir::parse_graph(R"(
graph @f(%x: f32[4]) -> (f32[4]) {
  %a = exp %x : f32[4]
  %b = neg %a : f32[4]
  %c = neg %b : f32[4]
  return %c
})");
  const auto plan = build_plan(*graph, {});

  plan->values[2].place = plan->values[1].place;
  EXPECT_EQ(verify(*plan), std::nullopt);
  plan->values[2].place.offset = 8;

  EXPECT_EQ(verify(*plan),
            "step 1 writes %b (arena+8:16) over %a (arena+0:16), which is defined at 0 and last "
            "read at 1");
}

}  // namespace
}  // namespace wick::runtime
