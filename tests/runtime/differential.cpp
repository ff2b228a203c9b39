#include "differential.h"

#include <exception>
#include <filesystem>
#include <fstream>

#include "run_graph.h"
#include "support/random_graph.h"
#include "support/random_images.h"
#include "support/random_pipeline.h"
#include "support/random_rows.h"
#include <fmt/format.h>

#include "wick/ir/interpreter.h"
#include "wick/ir/printer.h"
#include "wick/passes/pass_manager.h"
#include "wick/passes/plan_memory.h"
#include "wick/runtime/executor.h"

namespace wick::runtime {
namespace {

/// A convolution may multiply its padding, which gives NaN where a weight is not finite, or leave
/// it out: implementations differ.
bool has_convolution(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    const bool is_matmul = node->op() == ir::OpKind::matmul;
    if (ir::has(node->op(), ir::kContraction) && !is_matmul) return true;
  }
  return false;
}

std::unique_ptr<ir::Graph> graph_of(const DifferentialCase& what) {
  constexpr int64_t kMost = 200000;
  switch (what.seed % 10) {
    case 0:
    case 5:
      return testing_support::random_rows(what.seed);
    case 1:
      return testing_support::random_images(what.seed);
    case 2:
      return testing_support::random_graph(
          what.seed, {.num_ops = 12, .max_elements = kMost, .long_axes = true});
    default:
      return testing_support::random_graph(what.seed);
  }
}

std::optional<std::string> first_problem(const DifferentialCase& what,
                                         const ir::Graph& graph,
                                         std::string& context) {
  const auto inputs = testing_support::random_inputs(
      graph, what.seed, what.special_values && !has_convolution(graph));
  const std::vector<Literal> expected = ir::interpret(graph, inputs);
  const auto optimized = graph.clone();
  passes::PassContext pass_context;
  auto pipeline = passes::PassManager::parse(what.pipeline);
  pipeline.set_verify_each(true);
  pipeline.run(*optimized, pass_context);
  context += fmt::format("\noptimized: {}", ir::to_string(*optimized));
  if (pipeline.text().find("plan-memory") != std::string::npos) {
    if (const auto flaw = passes::verify_memory_plan(*optimized)) return flaw;
  }
  auto plan = build_plan(*optimized, {.fusions = what.fusions});
  context += fmt::format("\n{}", to_string(*plan));
  if (const auto flaw = verify(*plan)) return flaw;
  const auto executable = make_executable(std::move(plan));
  const auto buffers = executable->run(arguments_of(inputs));
  for (size_t k = 0; k < buffers.size(); ++k) {
    const Literal got = literal_of(expected[k].type(), *buffers[k]);
    const auto difference = testing_support::first_difference(expected[k], got);
    if (difference) return fmt::format("result {}: {}", k, *difference);
  }
  return std::nullopt;
}

/// The default pipeline of machines with vectors of so many lanes.
std::string default_pipeline_with(int lanes) {
  std::string text(passes::default_pipeline());
  constexpr std::string_view kLayout = "layout,";
  const size_t at = text.find(kLayout);
  if (at == std::string::npos) return text;
  return text.replace(at, kLayout.size(), fmt::format("layout{{block={}}},", lanes));
}

/// Graphs of every kind, which the last digit of the seed tells apart, meet each of these.
std::string pipeline_of(uint64_t seed) {
  const uint64_t draw = seed / 10;
  switch (draw % 4) {
    case 0:
      return "default";
    case 1:
      return default_pipeline_with(draw % 8 == 1 ? 8 : 16);
    default:
      return testing_support::random_pipeline(seed);
  }
}

}  // namespace

DifferentialCase random_case(uint64_t seed) {
  return {.seed = seed,
          .pipeline = pipeline_of(seed),
          .fusions = PlanOptions::Fusions::compile,
          .special_values = seed % 4 == 0};
}

std::optional<DifferentialFailure> run_and_compare(const DifferentialCase& what) {
  const auto graph = graph_of(what);
  std::string context =
      fmt::format("pipeline: {}\nrecorded: {}", what.pipeline, ir::to_string(*graph));
  try {
    const auto problem = first_problem(what, *graph, context);
    if (!problem) return std::nullopt;
    return DifferentialFailure{*problem, context};
  } catch (const std::exception& failure) {
    return DifferentialFailure{failure.what(), context};
  }
}

std::string write_reproducer(const DifferentialCase& what, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto graph = graph_of(what);
  const std::string path = fmt::format("{}/{}.wick", folder, graph->name());
  std::ofstream(path) << ir::to_string(*graph);
  constexpr auto kText =
      "  wick-run {0} '--pass-pipeline={1}' --reference=interpreter\n"
      "  wick-reduce {0} --expect-error='mismatch|error' -- "
      "wick-run {{}} '--pass-pipeline={1}' --reference=interpreter\n"
      "  (inputs of wick-run's own; with those of the test: WICK_DIFF_SEED={2} "
      "WICK_DIFF_GRAPHS=1)\n";
  return fmt::format(kText, path, what.pipeline, what.seed);
}

}  // namespace wick::runtime
