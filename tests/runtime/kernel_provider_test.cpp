// A backend from outside: the pipeline, the plan and the library calls are Wick's, the kernels its
// own.

#include "wick/codegen/kernel_provider.h"

#include <stdexcept>

#include "run_graph.h"
#include "support/compiled_backend.h"
#include <gtest/gtest.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/ir/interpreter.h"
#include "wick/ir/parser.h"
#include "wick/runtime/compile_by_plan.h"

namespace wick::runtime {
namespace {

using codegen::Kernel;
using codegen::ProvidedKernel;

/// Kernels of LLVM's, or none, and what it was asked for.
class TestKernels final : public codegen::KernelProvider {
 public:
  enum class Answer : uint8_t { compiled, none, too_few, failure };

  std::vector<ProvidedKernel> provide(std::span<const Kernel* const> kernels) override {
    ++num_calls;
    num_kernels += kernels.size();
    if (answer == Answer::failure) throw std::runtime_error("no compiler today");
    std::vector<ProvidedKernel> provided(answer == Answer::too_few ? 0 : kernels.size());
    for (size_t i = 0; answer == Answer::compiled && i < kernels.size(); ++i) {
      provided[i].function = codegen::KernelCache::instance().get(*kernels[i]);
    }
    return provided;
  }

  Answer answer = Answer::compiled;
  int num_calls = 0;
  size_t num_kernels = 0;
};

class TestBackend final : public Backend {
 public:
  explicit TestBackend(TestKernels& kernels) : kernels_(kernels) {}

  std::string_view name() const override { return "test-kernels"; }

  std::unique_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph,
                                      CompileRecord* record) override {
    return compile_by_plan(std::move(graph), {.kernels = &kernels_}, record);
  }

 private:
  TestKernels& kernels_;
};

// Two equal kernels, another one, and a library call.
constexpr const char* kProgram = R"(
graph @f(%x: f32[4,6], %y: f32[4,6], %w: f32[6,3]) -> (f32[4,3], f32[4,3], f32[4]) {
  %0 = exp %x : f32[4,6]
  %1 = matmul %0, %w : f32[4,3]
  %2 = exp %y : f32[4,6]
  %3 = matmul %2, %w : f32[4,3]
  %4 = reduce_sum %1 {axes = [1]} : f32[4]
  return %1, %3, %4
})";

class KernelProviders : public testing::TestWithParam<TestKernels::Answer> {
 protected:
  TestKernels kernels_;
  TestBackend backend_{kernels_};
};

TEST_P(KernelProviders, GiveTheKernelsOfAProgram) {
  if (GetParam() == TestKernels::Answer::compiled && !has_llvm())
    GTEST_SKIP() << "built without LLVM";
  kernels_.answer = GetParam();
  const auto graph = ir::parse_graph(kProgram);
  std::mt19937_64 random(1);
  const std::vector<Literal> inputs = random_parameters(*graph, random);
  const std::vector<Literal> expected = ir::interpret(*graph, inputs);

  const auto executable = backend_.compile(graph->clone(), nullptr);
  const auto buffers = executable->run(arguments_of(inputs));

  EXPECT_EQ(kernels_.num_calls, 1);
  EXPECT_EQ(kernels_.num_kernels, 2U);
  EXPECT_EQ(executable->summary().num_kernels, 3);
  EXPECT_EQ(executable->summary().num_library_calls, 2);
  EXPECT_EQ(executable->summary().num_ops, 5);
  for (size_t k = 0; k < expected.size(); ++k) {
    const Literal got = literal_of(expected[k].type(), *buffers[k]);
    for (int64_t i = 0; i < got.numel(); ++i)
      EXPECT_NEAR(got.as_double(i), expected[k].as_double(i), 1e-4) << "result " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Answers,
                         KernelProviders,
                         testing::Values(TestKernels::Answer::compiled, TestKernels::Answer::none));

TEST_F(KernelProviders, MayFail) {
  kernels_.answer = TestKernels::Answer::failure;
  EXPECT_THROW((void)backend_.compile(ir::parse_graph(kProgram), nullptr), std::runtime_error);
}

TEST_F(KernelProviders, AnswerForEachKernel) {
  kernels_.answer = TestKernels::Answer::too_few;
  EXPECT_THROW((void)backend_.compile(ir::parse_graph(kProgram), nullptr), std::logic_error);
}

}  // namespace
}  // namespace wick::runtime
