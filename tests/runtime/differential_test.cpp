// Random graphs on every way to run them, against the reference interpreter.
//
// WICK_DIFF_GRAPHS sets how many, WICK_DIFF_SEED the first seed. A failure prints its seed, the
// graph and the plan.

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "run_graph.h"
#include "support/random_graph.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/plan_memory.h"
#include "wick/runtime/executor.h"
#include "wick/runtime/plan_builder.h"

namespace wick::runtime {
namespace {

using Fusions = PlanOptions::Fusions;

int64_t number_from(const char* variable, int64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoll(text);
}

/// A convolution may multiply its padding, which gives NaN where a weight is not finite, or leave
/// it out: implementations differ.
bool has_convolution(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const bool is_matmul = node->op() == ir::OpKind::matmul;
    if (ir::has(node->op(), ir::kContraction) && !is_matmul) return true;
  }
  return false;
}

/// What went wrong with this graph, or nothing.
std::optional<std::string> run_and_compare(uint64_t seed, Fusions fusions, bool special_values) {
  const auto graph = testing_support::random_graph(seed);
  const auto inputs =
      testing_support::random_inputs(*graph, seed, special_values && !has_convolution(*graph));
  const std::vector<Literal> expected = ir::interpret(*graph, inputs);
  const auto optimized = graph->clone();
  std::string context = fmt::format("\nrecorded: {}", ir::to_string(*graph));
  try {
    passes::PassContext pass_context;
    auto pipeline = passes::PassManager::parse(passes::default_pipeline());
    pipeline.set_verify_each(true);
    pipeline.run(*optimized, pass_context);
    context += fmt::format("\noptimized: {}", ir::to_string(*optimized));
    if (const auto flaw = passes::verify_memory_plan(*optimized))
      return fmt::format("{}{}", *flaw, context);
    auto plan = build_plan(*optimized, {.fusions = fusions});
    context += fmt::format("\n{}", to_string(*plan));
    if (const auto flaw = verify(*plan)) return fmt::format("{}{}", *flaw, context);
    const auto executable = make_executable(std::move(plan));
    const auto buffers = executable->run(arguments_of(inputs));
    for (size_t k = 0; k < buffers.size(); ++k) {
      const Literal got = literal_of(expected[k].type(), *buffers[k]);
      const auto difference = testing_support::first_difference(expected[k], got);
      if (difference) return fmt::format("result {}: {}{}", k, *difference, context);
    }
  } catch (const std::exception& failure) {
    return fmt::format("{}{}", failure.what(), context);
  }
  return std::nullopt;
}

void run_many(Fusions fusions, int64_t count) {
  const auto first = static_cast<uint64_t>(number_from("WICK_DIFF_SEED", 1));
  constexpr int kMostFailures = 3;  // enough to see a pattern
  int failures = 0;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    // Every fourth graph sees NaN and infinities.
    const auto problem = run_and_compare(seed, fusions, seed % 4 == 0);
    if (!problem) continue;
    ADD_FAILURE() << "WICK_DIFF_SEED=" << seed << ": " << *problem;
    if (++failures == kMostFailures) return;
  }
}

TEST(Differential, MachineCode) {
  run_many(Fusions::compile, number_from("WICK_DIFF_GRAPHS", 2000));
}

// The two below tell which layer is wrong when the first one fails.

TEST(Differential, KernelInterpreter) {
  run_many(Fusions::interpret_kernels, number_from("WICK_DIFF_GRAPHS", 2000) / 10);
}

TEST(Differential, FusionBodies) {
  run_many(Fusions::interpret_bodies, number_from("WICK_DIFF_GRAPHS", 2000) / 10);
}

}  // namespace
}  // namespace wick::runtime
