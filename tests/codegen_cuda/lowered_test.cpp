// Graphs through the fuse pass, lowering and CUDA text run on the host, against the graph
// interpreter.

#include <cstdio>
#include <cstdlib>

#include "codegen/run_lowered.h"
#include "emulated_kernels.h"
#include "graph_cases.h"
#include "support/random_graph.h"
#include <gtest/gtest.h>

#include "wick/ir/printer.h"

namespace wick::codegen::cuda::test {
namespace {

void add_kernels(EmulatedKernels& emulated, const ir::Graph& fused) {
  for (const ir::Node* fusion : wick::test::fusions_of(fused))
    emulated.add(lower(*fusion));
}

void expect_agreement(const std::vector<GraphCase>& cases) {
  EmulatedKernels emulated;
  for (const GraphCase& c : cases)
    add_kernels(emulated, *c.fused);
  emulated.compile();
  wick::test::use_launch_runner([&](const KernelLaunch& launch, std::span<void* const> buffers) {
    emulated.run(*launch.kernel, launch.params, buffers);
  });
  for (const GraphCase& c : cases) {
    const std::vector<Literal> actual = wick::test::run_lowered(*c.fused, c.inputs);
    for (size_t i = 0; i < c.expected.size(); ++i) {
      const auto difference = testing_support::first_difference(c.expected[i], actual[i]);
      EXPECT_FALSE(difference.has_value())
          << c.name << ", result " << i << ": " << *difference << "\n"
          << ir::to_string(*c.fused);
    }
  }
  wick::test::use_launch_runner(nullptr);
}

TEST(CudaLowered, SoftmaxAgrees) {
  std::vector<GraphCase> cases;
  for (const int64_t columns : {3, 40, 257, 1024, 5000, 30000})
    cases.push_back(from_text(softmax(5, columns, "f32")));
  for (const int64_t columns : {64, 1024, 1025})
    cases.push_back(from_text(softmax(7, columns, "f16")));
  cases.push_back(from_text(softmax(300, 10, "f32")));   // a row a thread
  cases.push_back(from_text(softmax(2, 60000, "f32")));  // its own values in global memory
  expect_agreement(cases);
}

TEST(CudaLowered, LayerNormAgrees) {
  std::vector<GraphCase> cases;
  for (const int64_t columns : {33, 768, 769, 4096})
    cases.push_back(from_text(layer_norm(6, columns)));
  expect_agreement(cases);
}

TEST(CudaLowered, OtherLayoutsAgree) {
  std::vector<GraphCase> cases;
  for (const std::string& text : layout_texts())
    cases.push_back(from_text(text));
  expect_agreement(cases);
}

/// The first graph of a run; WICK_TEST_SEED repeats another.
uint64_t first_seed() {
  const char* text = std::getenv("WICK_TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

void run_seeds(uint64_t first, int count, bool special_values) {
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  std::vector<GraphCase> cases;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed)
    cases.push_back(from_seed(seed, special_values));
  expect_agreement(cases);
}

TEST(CudaLowered, RandomGraphsAgree) {
  run_seeds(first_seed(), 120, false);
}

TEST(CudaLowered, SpecialValuesAgree) {
  run_seeds(first_seed() + 200000, 40, true);
}

}  // namespace
}  // namespace wick::codegen::cuda::test
